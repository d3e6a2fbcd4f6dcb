#include "measure/sample_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

double number_or_none(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

/// What of a sum and its moments does not depend on how they were summed.
void put_sums(double sum, const std::array<double, 3>& moments, MeasureValues& values) {
  values[intensity_sum] = number_or_none(sum);
  const MeasureId centroid[] = {cx_weighted, cy_weighted, cz_weighted};
  for (std::size_t axis = 0; axis < 3; ++axis) values[centroid[axis]] = number_or_none(moments[axis] / sum);
}

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

void RealSum::add(double term) {
  const double sum = high_ + term;
  const double of_term = sum - high_;
  low_ += (high_ - (sum - of_term)) + (term - of_term);
  high_ = sum;
}

double RealSum::value() const {
  return std::isfinite(high_) ? high_ + low_ : high_;  // what is lost of infinity is no number
}

void RealSums::add(const SampleRun& run) {
  for (int begin = 0, end = 0; begin < run.count; begin = end) {
    constexpr int kMost = 128;  // whose sum needs no care
    if (std::isnan(run.samples[begin])) {
      ++nans_;
      end = begin + 1;
      continue;
    }
    const int limit = std::min(run.count, begin + kMost);
    for (end = begin + 1; end < limit && !std::isnan(run.samples[end]);) ++end;
    add_numbers({run.begin + begin, run.y, run.z, end - begin, run.samples + begin});
  }
}

void RealSums::add_numbers(const SampleRun& run) {
  double sum = 0, moment = 0, squares = 0;
  if (count_ == 0) min_ = max_ = run.samples[0];
  for (int i = 0; i < run.count; ++i) {
    const double sample = run.samples[i];
    min_ = std::min(min_, sample);
    max_ = std::max(max_, sample);
    sum += sample;
    moment += i * sample;
  }
  const double mean = sum / run.count;
  for (int i = 0; i < run.count; ++i) squares += (run.samples[i] - mean) * (run.samples[i] - mean);
  add_squares(static_cast<std::uint64_t>(run.count), mean, squares);
  sum_.add(sum);
  moments_[0].add(moment);
  moments_[0].add(run.begin * sum);
  moments_[1].add(run.y * sum);
  moments_[2].add(run.z * sum);
}

void RealSums::add_squares(std::uint64_t count, double mean, double squares) {
  if (count_ > 0) {
    const double here = static_cast<double>(count_), there = static_cast<double>(count);
    const double distance = mean - sum_.value() / here;
    squares_ += distance * distance * (here * there / (here + there));
  }
  squares_ += squares;
  count_ += count;
}

void RealSums::add(const RealSums& other) {
  nans_ += other.nans_;
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  add_squares(other.count_, other.sum_.value() / static_cast<double>(other.count_), other.squares_);
  sum_.add(other.sum_);
  for (std::size_t axis = 0; axis < 3; ++axis) moments_[axis].add(other.moments_[axis]);
}

void RealSums::derive(MeasureValues& values) const {
  put_sums(sum_.value(), {moments_[0].value(), moments_[1].value(), moments_[2].value()}, values);
  values[intensity_nan] = static_cast<double>(nans_);
  if (count_ == 0) return;
  const auto count = static_cast<double>(count_);
  values[intensity_min] = number_or_none(min_);
  values[intensity_max] = number_or_none(max_);
  values[intensity_mean] = number_or_none(sum_.value() / count);
  values[intensity_std] = number_or_none(std::sqrt(squares_ / count));
}

}  // namespace gpuccl::measuring
