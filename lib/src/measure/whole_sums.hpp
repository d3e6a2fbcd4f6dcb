#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "measure/sample_sums.hpp"

namespace gpuccl::measuring {

/// Sums of samples that are integers of at most 32 bits: exact, in any order.
class WholeSums {
 public:
  using Sample = double;
  using Stretch = WholeSums;
  static constexpr bool kInAnyOrder = true;

  void add(const SampleRun<double>& run);
  void add(const WholeSums& other);
  void derive(MeasureValues& values) const;
  std::uint64_t nans() const { return 0; }

 private:
  std::uint64_t count_ = 0;
  std::int64_t min_ = INT64_MAX, max_ = INT64_MIN;
  WholeNumber sum_ = 0;
  CoordinateSum squares_ = 0;
  std::array<WholeNumber, 3> moments_{};  // of x, y, z times the sample
};

}  // namespace gpuccl::measuring
