#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "io/image/label_type.hpp"

namespace gpuccl::io {

/// Fingerprint of a label image: of its extent and of the number of each pixel. It does not depend on format,
/// compression or type of samples, nor on the order in which rows are added. It detects accidents, not
/// forgery: it is not cryptographic.
///
/// It is a sum over maximal runs, so parts of an image add up. With mix(a, b) = the lower half of the product
/// of 128 bits XOR its upper half, all modulo 2^64:
///   row(r)           = mix(r ^ K1, K2), of row r of all slices
///   term(run)        = mix((begin | end << 32) ^ K2, number ^ row(r))
///   after(axis)      = mix(before ^ K1, axis ^ K2), for width, height, depth, beginning with the sum
/// `number` is the label as a signed integer of 64 bits, or the bits of a double if it is not an integer.
class ContentHash {
 public:
  /// `type`: of the labels or values that are written.
  explicit ContentHash(LabelType type = LabelType::u32) : type_(type) {}

  // Each row is added once. Thread-safe.

  /// Adds rows from `first_row` on. Runs need not be maximal. Of samples of 64 bits, labels stand for the
  /// values in `wide`.
  void add(std::int64_t first_row, const LabelRuns& rows, std::span<const std::uint64_t> wide = {});
  /// Adds rows of samples without padding.
  void add(std::int64_t first_row, std::int64_t rows, int width, const void* samples);
  /// Adds a row that was read from a file.
  void add(ValueType type, std::int64_t row, std::span<const ValueRun> runs);

  /// The sum, and that of other rows of the image.
  std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }
  void clear() { sum_ = 0; }
  void add_sum(std::uint64_t sum) { sum_.fetch_add(sum, std::memory_order_relaxed); }

  /// Returns the fingerprint of the image as 16 hexadecimal digits.
  std::string text(const Extent& extent) const;

 private:
  LabelType type_;
  std::atomic<std::uint64_t> sum_ = 0;
};

}  // namespace gpuccl::io
