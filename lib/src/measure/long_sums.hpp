#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/measures.hpp"
#include "measure/sample_sums.hpp"

namespace gpuccl::measuring {

/// Sums of samples that are integers of at most 64 bits: exact, in any order. Samples are summed in
/// halves, of which squares and moments fit 128 bits too.
class LongSums {
 public:
  using Sample = WholeNumber;
  using Stretch = LongSums;
  static constexpr bool kInAnyOrder = true;

  void add(const SampleRun<WholeNumber>& run);
  void add(const LongSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return 0; }

 private:
  /// upper * 2^32 + lower.
  struct Halves {
    WholeNumber upper = 0, lower = 0;

    void add(WholeNumber times, const Halves& other) {
      upper += times * other.upper;
      lower += times * other.lower;
    }
    WholeNumber joined() const { return upper * kUpper + lower; }
  };
  static constexpr int kLowerBits = 32;
  static constexpr WholeNumber kUpper = WholeNumber{1} << kLowerBits;

  /// The mean of squares of distances from an integer.
  double mean_square_from(WholeNumber middle) const;

  std::uint64_t count_ = 0;
  WholeNumber min_ = kUpper * kUpper, max_ = -min_;
  Halves sum_;
  WholeNumber upper_squares_ = 0, products_ = 0, lower_squares_ = 0;  // of the halves of each sample
  std::array<Halves, 3> moments_{};                                   // of x, y, z times the sample
};

}  // namespace gpuccl::measuring
