#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/measures.hpp"
#include "measure/sample_sums.hpp"

namespace gpuccl::measuring {

/// A sum and what its roundings have lost (T. J. Dekker 1971, A floating-point technique for extending the
/// available precision).
class RealSum {
 public:
  void add(double term);
  void add(const RealSum& other) {
    add(other.high_);
    add(other.low_);
  }
  double value() const;

 private:
  double high_ = 0, low_ = 0;
};

/// Sums of any samples: their value depends on the order in which they are added, in the last digits.
class RealSums {
 public:
  using Sample = double;
  static constexpr bool kInAnyOrder = false;

  void add(const SampleRun<double>& run);
  void add(const RealSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return nans_; }

 private:
  void add_numbers(const SampleRun<double>& run);
  /// The squares of distances from the mean are joined as T. F. Chan, G. H. Golub and R. J. LeVeque 1983 do,
  /// Algorithms for computing the sample variance.
  void add_squares(std::uint64_t count, double mean, double squares);

  std::uint64_t count_ = 0, nans_ = 0;
  double min_ = 0, max_ = 0;
  RealSum sum_;
  double squares_ = 0;  // of distances from the mean
  std::array<RealSum, 3> moments_{};
};

}  // namespace gpuccl::measuring
