#include "measure/whole_sums.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

}  // namespace

void WholeSums::add(const SampleRun<double>& run) {
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
    moments_[0] += moment + WholeNumber{run.begin + first} * sum;
    moments_[1] += WholeNumber{run.y} * sum;
    moments_[2] += WholeNumber{run.z} * sum;
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
  put_sums(
      static_cast<double>(sum_),
      {static_cast<double>(moments_[0]), static_cast<double>(moments_[1]), static_cast<double>(moments_[2])},
      values);
  values.set_whole(intensity_sum, sum_);
  values[intensity_nan] = 0;
  if (count_ == 0) return;
  const WholeMean mean(sum_, count_);
  // Squares of distances from the middle are exact modulo 2^128, below which they are.
  const auto middle = static_cast<CoordinateSum>(mean.middle);
  const CoordinateSum squares =
      squares_ - 2 * middle * static_cast<CoordinateSum>(sum_) + middle * middle * count_;
  put_whole(min_, max_, mean, static_cast<double>(squares) / static_cast<double>(count_), values);
}

}  // namespace gpuccl::measuring
