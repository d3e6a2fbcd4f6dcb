#include "measure/whole_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// The quotient, rounded to the nearest.
WholeSum nearest_quotient(WholeSum sum, std::uint64_t count) {
  const WholeSum twice = 2 * sum + (sum < 0 ? -1 : 1) * WholeSum{count};
  return twice / (2 * WholeSum{count});
}

}  // namespace

void WholeSums::add(const SampleRun& run) {
  // So short that nothing passes 64 bits: 2^14 samples below 2^32 at places below 2^14.
  constexpr int kBlock = 1 << 14;
  for (int first = 0; first < run.count; first += kBlock) {
    const int count = std::min(kBlock, run.count - first);
    std::int64_t sum = 0, moment = 0;
    for (int i = 0; i < count; ++i) {
      const auto sample = static_cast<std::int64_t>(run.samples[first + i]);
      min_ = std::min(min_, sample);
      max_ = std::max(max_, sample);
      sum += sample;
      moment += i * sample;
      const auto size = static_cast<std::uint64_t>(std::abs(sample));
      squares_ += size * size;
    }
    count_ += static_cast<std::uint64_t>(count);
    sum_ += sum;
    moments_[0] += moment + WholeSum{run.begin + first} * sum;
    moments_[1] += WholeSum{run.y} * sum;
    moments_[2] += WholeSum{run.z} * sum;
  }
}

void WholeSums::add(const WholeSums& other) {
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  squares_ += other.squares_;
  for (std::size_t axis = 0; axis < 3; ++axis) moments_[axis] += other.moments_[axis];
}

void WholeSums::derive(MeasureValues& values) const {
  const auto sum = static_cast<double>(sum_);
  put_sums(
      sum,
      {static_cast<double>(moments_[0]), static_cast<double>(moments_[1]), static_cast<double>(moments_[2])},
      values);
  values[intensity_nan] = 0;
  if (count_ == 0) return;
  const auto count = static_cast<double>(count_);
  // Squares of distances from a whole number next to the mean are exact modulo 2^128, below which they are.
  const WholeSum middle = nearest_quotient(sum_, count_);
  const auto rest = static_cast<double>(sum_ - middle * WholeSum{count_});
  const auto unsigned_middle = static_cast<CoordinateSum>(middle);
  const CoordinateSum squares = squares_ - 2 * unsigned_middle * static_cast<CoordinateSum>(sum_) +
                                unsigned_middle * unsigned_middle * count_;
  const double off = rest / count;
  values[intensity_min] = static_cast<double>(min_);
  values[intensity_max] = static_cast<double>(max_);
  values[intensity_mean] = static_cast<double>(middle) + off;
  values[intensity_std] = std::sqrt(std::max(0.0, static_cast<double>(squares) / count - off * off));
}

}  // namespace gpuccl::measuring
