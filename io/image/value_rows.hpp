#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

#include "gpuccl/values.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Returns the type in which stored samples are compared: the narrowest that holds them, f64 for scaled ones,
/// the type of indices for a palette. Error (data) for colors.
ValueType value_type(const SampleFormat& format);

/// Adds rows of a slice to an image of values of this type, in which the slice begins at row `first_row`.
/// Rows narrower than the image are padded with 0.
void add_rows(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows);

/// Checks in some rows of an input whether its pixels have more than two values. Thread-safe.
class TwoValueDetector {
 public:
  using Pair = std::array<double, 2>;  // of values; NaN until one was found

  /// Checks a few of `rows`, of a slice of this extent. NaN does not count.
  void look_at(const SampleRows& rows, const Extent& extent);
  bool has_more_than_two() const { return more_; }

 private:
  Pair seen();
  /// Adds new values among these, and returns the pair.
  Pair learn(const double* values, std::int64_t count);

  std::atomic<bool> more_ = false;
  std::mutex mutex_;
  Pair seen_{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace gpuccl::io
