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
/// It is a sum over pixels, so parts of an image add up, and a run counts as its number times the sum of its
/// weights. With mix(a, b) = the lower half of the product of 128 bits XOR its upper half, all modulo 2^64:
///   weight(x)        = mix((x mod 1024) ^ K1, K2) / 2^33, made odd by its lowest bit
///   factor(row, x)   = mix(row ^ K1, (x / 1024) ^ K2), made odd as well; rows are counted over all slices
///   term(pixel)      = number * weight(x) * factor(row, x)
///   after(axis)      = mix(before ^ K1, axis ^ K2), for width, height, depth, beginning with the sum
/// K1 = 0x9e3779b97f4a7c15, K2 = 0xbf58476d1ce4e5b9. As weights and factors are odd, no single pixel can
/// change without changing the sum. `number` is the label as a signed integer of 64 bits, or the bits of a
/// double if it is not an integer.
class ContentHash {
 public:
  /// `type`: of the labels or values that are written.
  explicit ContentHash(LabelType type = LabelType::u32) : type_(type) {}

  // Each row is added once. Thread-safe.

  /// Adds rows from `first_row` on. For samples of 64 bits, labels stand for the values in `wide`.
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
