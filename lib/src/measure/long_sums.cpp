#include "measure/long_sums.hpp"

#include <algorithm>
#include <cmath>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

}  // namespace

void LongSums::add(const SampleRun<WholeNumber>& run) {
  Halves sum, moment;
  for (int i = 0; i < run.count; ++i) {
    const WholeNumber sample = run.samples[i];
    min_ = std::min(min_, sample);
    max_ = std::max(max_, sample);
    const Halves halves{sample >> kLowerBits, sample & (kUpper - 1)};
    sum.add(1, halves);
    moment.add(i, halves);
    upper_squares_ += halves.upper * halves.upper;
    products_ += halves.upper * halves.lower;
    lower_squares_ += halves.lower * halves.lower;
  }
  count_ += static_cast<std::uint64_t>(run.count);
  sum_.add(1, sum);
  moments_[0].add(1, moment);
  moments_[0].add(run.begin, sum);
  moments_[1].add(run.y, sum);
  moments_[2].add(run.z, sum);
}

void LongSums::add(const LongSums& other) {
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_.add(1, other.sum_);
  upper_squares_ += other.upper_squares_;
  products_ += other.products_;
  lower_squares_ += other.lower_squares_;
  for (std::size_t axis = 0; axis < 3; ++axis) moments_[axis].add(1, other.moments_[axis]);
}

double LongSums::mean_square_from(WholeNumber middle) const {
  const WholeNumber upper = middle >> kLowerBits, lower = middle & (kUpper - 1), count = count_;
  const WholeNumber uppers = upper_squares_ - 2 * upper * sum_.upper + upper * upper * count,
                    mixed = products_ - upper * sum_.lower - lower * sum_.upper + upper * lower * count,
                    lowers = lower_squares_ - 2 * lower * sum_.lower + lower * lower * count;
  // Small distances: terms may cancel each other, and the result fits in 128 bits.
  const bool fits = uppers < WholeNumber{1} << 60;
  const double squares = fits ? static_cast<double>(uppers * kUpper * kUpper + 2 * mixed * kUpper + lowers)
                              : std::ldexp(static_cast<double>(uppers), 2 * kLowerBits) +
                                    std::ldexp(static_cast<double>(mixed), kLowerBits + 1) +
                                    static_cast<double>(lowers);
  return squares / static_cast<double>(count_);
}

void LongSums::derive(MeasureValues& values) const {
  const auto value = [](const Halves& halves) {
    constexpr WholeNumber kFits = WholeNumber{1} << 94;  // above, halves do not cancel each other
    return -kFits < halves.upper && halves.upper < kFits
               ? static_cast<double>(halves.joined())
               : std::ldexp(static_cast<double>(halves.upper), kLowerBits) +
                     static_cast<double>(halves.lower);
  };
  const WholeNumber sum = sum_.joined();
  put_sums(static_cast<double>(sum), {value(moments_[0]), value(moments_[1]), value(moments_[2])}, values);
  values.set_whole(intensity_sum, sum);
  values[intensity_nan] = 0;
  if (count_ == 0) return;
  const WholeMean mean(sum, count_);
  put_whole(min_, max_, mean, mean_square_from(mean.middle), values);
}

}  // namespace gpuccl::measuring
