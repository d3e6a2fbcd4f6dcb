#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuccl::io {

/// A number that samples are compared with. It is exact for signed and unsigned integers of 64
/// bits.
class SampleValue {
 public:
  /// Parses "7", "-1", "18446744073709551615", "0.5", "9007199254740993.5". None for other text.
  static std::optional<SampleValue> parse(const std::string& text);
  /// Returns the value of a finite number.
  static SampleValue of(double number);

  /// Returns the value of an integer sample of so many bits whose bits, read as signed or unsigned, are
  /// `value`, when they are read the other way. Other values stay.
  static SampleValue reinterpret(const SampleValue& value, int bits, bool is_signed);

  double number() const { return number_; }
  /// Returns the bits of an integer sample of this value; none if samples of so many bits lack it.
  std::optional<std::uint64_t> code(int bits, bool is_signed) const;
  /// Return the smallest integer sample from this value on, and the largest up to it, counted from the
  /// minimum of samples of so many bits; none if there is none.
  std::optional<std::uint64_t> rank_from(int bits, bool is_signed) const;
  std::optional<std::uint64_t> rank_to(int bits, bool is_signed) const;
  /// Returns the shortest text that parses to it.
  std::string text() const;

  friend bool operator==(const SampleValue&, const SampleValue&) = default;
  friend bool operator<(const SampleValue& a, const SampleValue& b);

 private:
  bool is_whole() const { return has_floor_ && !has_fraction_; }
  bool is_below(int bits, bool is_signed) const;
  bool is_above(int bits, bool is_signed) const;

  double number_ = 0;  // the nearest
  // The greatest integer up to it, if that has 64 bits; code_ is its two's complement.
  bool has_floor_ = false, is_negative_ = false;
  std::uint64_t code_ = 0;
  bool has_fraction_ = false;
  std::string digits_;  // as written, where the nearest number is an integer and this is none
};

/// The numbers from `low` to `high`, both included.
struct SampleInterval {
  SampleValue low, high = low;

  /// Parses "7", or "1001..1035", whose ends may be swapped. None for other text.
  static std::optional<SampleInterval> parse(const std::string& text);

  bool is_one() const { return low == high; }
  std::string text() const;

  friend bool operator==(const SampleInterval&, const SampleInterval&) = default;
};

/// Sorts the intervals in ascending order and merges those that overlap.
void sort_and_unite(std::vector<SampleInterval>& intervals);

}  // namespace gpuccl::io
