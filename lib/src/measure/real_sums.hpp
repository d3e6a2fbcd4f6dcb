#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
  void add(const SampleRun<double>& run);
  void add(const RealSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return nans_; }
  bool empty() const { return count_ == 0 && nans_ == 0; }

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

/// Sums of any samples of one component, added up stretch by stretch: of slices of a volume, of rows of an
/// image of one slice. So they do not depend on threads, and parts that begin with a stretch have those of
/// the whole.
class RealSequence {
 public:
  using Sample = double;
  using Stretch = RealSums;
  static constexpr bool kInAnyOrder = false;
  static constexpr std::size_t kWords = sizeof(RealSums) / sizeof(std::uint64_t);

  /// Keeps the sums of a component that begins in an earlier part separate, because they are added to that
  /// part's sums.
  void keep_apart() { apart_ = std::make_unique<std::vector<RealSums>>(); }

  void add(const SampleRun<double>& run, int stretch);
  void add(const RealSums& stretch);
  /// Ends the last stretch; before what follows.
  void close();

  void save(std::vector<std::uint64_t>& saved) const;
  /// Adds what follows in another part. False if it cannot be of such.
  bool add_saved(std::span<const std::uint64_t> saved);
  void derive(MeasureValues& values) const { sums_.derive(values); }
  std::uint64_t nans() const { return sums_.nans(); }

 private:
  RealSums sums_, open_;  // of stretches that are over, of the last one
  int stretch_ = -1;
  std::unique_ptr<std::vector<RealSums>> apart_;
};

}  // namespace gpuccl::measuring
