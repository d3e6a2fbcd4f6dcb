#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

#include "gpuccl/values.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The type in which samples are compared with each other, as they are stored: the narrowest that holds them,
/// of scaled ones f64, of a palette that of its indices. Error (data) for colours.
ValueType value_type(const SampleFormat& format);

/// Gives rows of a slice to an image of values of this type, in which the slice begins at row `first_row`.
/// Where they are narrower than the image, what is next to them is 0.
void add_rows(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows);

/// Finds out, by a look at some rows of an input, whether its pixels have more than two values. For several
/// threads.
class TwoValueDetector {
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
