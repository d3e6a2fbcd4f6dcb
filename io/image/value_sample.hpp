#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Finds out, by a look at some rows of an input, whether its pixels have more than two values. For several
/// threads.
class ValueSample {
 public:
  using Pair = std::array<double, 2>;  // of values, not a number where there is none yet

  /// Looks at a few of `rows`, of a slice of this extent. Values that are NaN do not count.
  void look_at(const SampleRows& rows, const Extent& extent);
  bool has_more_than_two() const { return more_; }

 private:
  Pair seen();
  /// Takes what is new among these values, and returns what has been seen.
  Pair learn(const double* values, std::int64_t count);

  std::atomic<bool> more_ = false;
  std::mutex mutex_;
  Pair seen_{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace gpuccl::io
