#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "measure/derived.hpp"

namespace gpuccl::measuring {

/// Samples [begin, begin + count) of row y of slice z, all of one component.
template <class Sample>
struct SampleRun {
  int begin, y, z, count;
  const Sample* samples;
};

/// Sums of samples that are integers of at most 32 bits: exact, in any order.
class WholeSums {
 public:
  using Sample = double;
  using UnitSums = WholeSums;
  static constexpr bool kInAnyOrder = true;

  void add(const SampleRun<double>& run);
  /// As add(), for samples of at most 16 bits. Faster with AVX2 only.
  void add_short(const SampleRun<double>& run);
  void add(const WholeSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return 0; }

 private:
  void add_lanes(const SampleRun<double>& run);

  WholeTotals totals_;
};

/// Sums of integers of up to 64 bits: exact, in any order.
class LongSums {
 public:
  using Sample = WholeNumber;
  using UnitSums = LongSums;
  static constexpr bool kInAnyOrder = true;

  void add(const SampleRun<WholeNumber>& run);
  void add(const LongSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return 0; }

 private:
  LongTotals totals_;
};

/// A sum and its rounding errors (T. J. Dekker 1971, A floating-point technique for extending the
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

/// Sums of any samples. Their last digits depend on the order of addition.
class RealSums {
 public:
  void add(const SampleRun<double>& run);
  void add(const RealSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return nans_; }
  bool empty() const { return count_ == 0 && nans_ == 0; }

 private:
  void add_numbers(const SampleRun<double>& run);
  /// Adds squared distances from the mean, combined by the formula of T. F. Chan, G. H. Golub and R. J.
  /// LeVeque 1983, Algorithms for computing the sample variance.
  void add_squares(std::uint64_t count, double mean, double squares);

  std::uint64_t count_ = 0, nans_ = 0;
  double min_ = 0, max_ = 0;
  RealSum sum_;
  double squares_ = 0;  // of distances from the mean
  std::array<RealSum, 3> moments_{};
};

/// Sums of any samples of one component, summed per unit: a slice of a volume, or a row of an image of one
/// slice. So they do not depend on threads, and parts that begin with a unit have the same sums as the
/// whole image.
class RealSequence {
 public:
  using Sample = double;
  using UnitSums = RealSums;
  static constexpr bool kInAnyOrder = false;
  static constexpr std::size_t kWords = sizeof(RealSums) / sizeof(std::uint64_t);

  /// Keeps the sums of a component that begins in an earlier part separate, because they are added to that
  /// part's sums.
  void keep_separate() { separate_ = std::make_unique<std::vector<RealSums>>(); }

  void add(const SampleRun<double>& run, int unit);
  void add(const RealSums& unit);
  /// Ends the last unit. Call it before the functions below.
  void close();

  void save(std::vector<std::uint64_t>& saved) const;
  /// Adds the sums of the following part. Returns false if they are invalid.
  bool add_saved(std::span<const std::uint64_t> saved);
  void derive(MeasureValues& values) const { sums_.derive(values); }
  std::uint64_t nans() const { return sums_.nans(); }

 private:
  RealSums sums_, open_;  // of completed units; of the last one
  int unit_ = -1;
  std::unique_ptr<std::vector<RealSums>> separate_;
};

}  // namespace gpuccl::measuring
