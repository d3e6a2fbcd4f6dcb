#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuccl::io {

/// A number that samples are compared with: exact for whole numbers of 64 bits, signed or not.
class SampleValue {
 public:
  /// "7", "-1", "18446744073709551615", "0.5". Nothing if the text is no finite number.
  static std::optional<SampleValue> parse(const std::string& text);

  double number() const { return number_; }
  /// The bits of a whole sample of this value; nothing if samples of so many bits do not have it.
  std::optional<std::uint64_t> code(int bits, bool is_signed) const;
  /// The shortest text that parses to it.
  std::string text() const;

  friend bool operator==(const SampleValue&, const SampleValue&) = default;
  friend bool operator<(const SampleValue& a, const SampleValue& b);

 private:
  double number_ = 0;
  bool is_whole_ = false;  // and has 64 bits: code_ is its two's complement
  bool is_negative_ = false;
  std::uint64_t code_ = 0;
};

}  // namespace gpuccl::io
