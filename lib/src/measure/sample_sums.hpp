#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/components.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// Samples [begin, begin + count) of row y of slice z, all of one component.
struct SampleRun {
  int begin, y, z, count;
  const double* samples;
};

__extension__ typedef __int128 WholeSum;

/// Sums of samples that are whole numbers of at most 32 bits: exact, in any order.
class WholeSums {
 public:
  static constexpr bool kInAnyOrder = true;

  void add(const SampleRun& run);
  void add(const WholeSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t count() const { return count_; }
  std::uint64_t nans() const { return 0; }

 private:
  std::uint64_t count_ = 0;
  std::int64_t min_ = INT64_MAX, max_ = INT64_MIN;
  WholeSum sum_ = 0;
  CoordinateSum squares_ = 0;
  std::array<WholeSum, 3> moments_{};  // of x, y, z times the sample
};

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
  static constexpr bool kInAnyOrder = false;

  void add(const SampleRun& run);
  void add(const RealSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t count() const { return count_; }
  std::uint64_t nans() const { return nans_; }

 private:
  void add_numbers(const SampleRun& run);
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
