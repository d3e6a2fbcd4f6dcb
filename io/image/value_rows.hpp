#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gpuccl/values.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

inline constexpr const char* kHintOfNan = "some values are NaN and count as background";

/// Reads rows of samples as values of a label map, which are stored samples, scaled if the format has a
/// scale. A missing value is 0. A color is one value: 65536 red + 256 green + blue for samples of 8 bits.
///
/// Where values are integers, numbers that differ from one by at most a thousandth are rounded, and NaN is 0.
/// Ids of objects are integers from 0 on: negative ones are background. A warning reports each of these once,
/// NaN excepted. Thread-safe.
class ValueRows {
 public:
  explicit ValueRows(const ReadOptions& requested)
      : rule_(requested.values), remedy_(requested.planes.options.remedy("channel")), warn_(requested.warn) {}

  /// Returns the type in which samples are compared: the narrowest that holds them, f64 for scaled ones, u64
  /// for ids in floating point, i64 for integers in it, the type of indices for a palette. Error (data) for
  /// colors other than RGB of 8 or 16 bits.
  ValueType type(const SampleFormat& format) const;
  /// Writes row `row` of `rows` as values of this type. Throws Error (data) for values that are not ids.
  void write(ValueType type, int width, const SampleRows& rows, int row, std::byte* out) const;
  /// Adds rows of a slice to an image of values of this type, in which the slice begins at row `first_row`.
  /// Rows narrower than the image are padded with 0. Throws as write().
  void add(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows) const;
  /// Warns if any sample of a row is missing.
  void look_for_missing(const SampleFormat& format, const std::byte* row, int width) const;
  /// Returns whether any id is NaN in the file.
  bool any_nan() const { return any_nan_; }

 private:
  bool makes_integers(const SampleFormat& format) const;
  std::uint64_t integer_of(double value, double most) const;
  template <class Number>
  void write_integers(const std::byte* numbers, int width, double most, std::byte* out) const;
  template <class Sample>
  bool any_below_0(int width, const std::byte* row) const;
  void clear_negative(ValueType type, int width, std::byte* row) const;
  bool are_as_stored(ValueType type, int width, const SampleFormat& format, const std::byte* row) const;
  void note(std::atomic<bool>& flag, const char* line) const;

  ValueRule rule_;
  std::string remedy_;  // for colors
  std::function<void(const std::string& line)> warn_;
  mutable std::atomic<bool> any_nan_ = false, any_negative_ = false, any_rounded_ = false, any_lost_ = false,
                            any_color_ = false, any_missing_ = false;
};

}  // namespace gpuccl::io
