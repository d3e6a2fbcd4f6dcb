#include "io/image/sample_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

/// A decimal: "-12.5e3" is 0.125 times 10 to the power of 5, below 0.
struct Decimal {
  bool is_negative = false;
  std::string digits;      // without zeros at the beginning and end
  std::int64_t point = 0;  // number of digits before it
};

/// Parses a text that std::from_chars accepts as a finite number.
Decimal decimal_in(const std::string& text) {
  Decimal decimal;
  decimal.is_negative = text.front() == '-';
  std::size_t at = decimal.is_negative ? 1 : 0;
  bool is_after_point = false;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      is_after_point = true;
      continue;
    }
    const bool leads = decimal.digits.empty() && text[at] == '0';
    if (!leads) decimal.digits += text[at];
    decimal.point += (leads && is_after_point) ? -1 : (!leads && !is_after_point) ? 1 : 0;
  }
  while (decimal.digits.ends_with('0')) decimal.digits.pop_back();
  if (at == text.size()) return decimal;
  const std::size_t sign = text[at + 1] == '+' ? 1 : 0;
  std::int64_t exponent = 0;
  std::from_chars(text.data() + at + 1 + sign, text.data() + text.size(), exponent);
  decimal.point += exponent;
  return decimal;
}

/// Returns the integer before the point; none if it has more than 64 bits.
std::optional<std::uint64_t> whole_part(const Decimal& decimal) {
  constexpr std::int64_t kMaxDigits = 20;
  if (decimal.point > kMaxDigits) return std::nullopt;
  std::uint64_t whole = 0;
  for (std::int64_t i = 0; i < decimal.point; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t digit =
        at < decimal.digits.size() ? static_cast<std::uint64_t>(decimal.digits[at] - '0') : 0;
    if (whole > (UINT64_MAX - digit) / 10) return std::nullopt;
    whole = whole * 10 + digit;
  }
  return whole;
}

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

}  // namespace

std::optional<SampleValue> SampleValue::parse(const std::string& text) {
  SampleValue value;
  const char* const all = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), all, value.number_);
  if (problem != std::errc{} || end != all || !std::isfinite(value.number_)) return std::nullopt;
  value.number_ += 0.0;  // -0 is 0
  const Decimal decimal = decimal_in(text);
  if (decimal.digits.empty()) return of(0);
  value.has_fraction_ = decimal.point < static_cast<std::int64_t>(decimal.digits.size());
  if (value.has_fraction_ && value.number_ == std::trunc(value.number_)) value.digits_ = text;
  std::optional<std::uint64_t> whole = whole_part(decimal);
  value.is_negative_ = decimal.is_negative;
  if (!whole) return value;
  if (value.is_negative_) {
    const std::uint64_t below = *whole + (value.has_fraction_ ? 1 : 0);  // the floor, without its sign
    if (*whole > kSign || below > kSign) return value;
    whole = ~below + 1;
  }
  value.has_floor_ = true;
  value.code_ = *whole;
  return value;
}

SampleValue SampleValue::of(double number) {
  SampleValue value;
  value.number_ = number + 0.0;
  const double floor = std::floor(number);
  value.has_fraction_ = floor != number;
  value.is_negative_ = number < 0;
  value.has_floor_ = floor >= -0x1p63 && floor < 0x1p64;
  if (value.has_floor_)
    value.code_ = value.is_negative_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(floor))
                                     : static_cast<std::uint64_t>(floor);
  return value;
}

SampleValue SampleValue::reinterpret(const SampleValue& value, int bits, bool is_signed) {
  const std::optional<std::uint64_t> code = value.code(bits, is_signed);
  if (!code) return value;
  const bool is_high = *code >> (bits - 1) != 0;
  if (is_signed || !is_high) return *parse(std::to_string(*code));
  return *parse(std::to_string(static_cast<std::int64_t>(*code | ~(~std::uint64_t{0} >> (64 - bits)))));
}

/// Returns whether the floor is below all samples of so many bits.
bool SampleValue::is_below(int bits, bool is_signed) const {
  if (!has_floor_) return is_negative_;
  return is_negative_ && (!is_signed || code_ < ~(std::uint64_t{1} << (bits - 1)) + 1);
}

/// Returns whether the floor is above all samples of so many bits.
bool SampleValue::is_above(int bits, bool is_signed) const {
  if (!has_floor_) return !is_negative_;
  return !is_negative_ && code_ > ~std::uint64_t{0} >> (is_signed ? 65 - bits : 64 - bits);
}

std::optional<std::uint64_t> SampleValue::code(int bits, bool is_signed) const {
  if (!is_whole() || is_below(bits, is_signed) || is_above(bits, is_signed)) return std::nullopt;
  return code_ & ~std::uint64_t{0} >> (64 - bits);
}

std::optional<std::uint64_t> SampleValue::rank_to(int bits, bool is_signed) const {
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  if (is_below(bits, is_signed)) return std::nullopt;
  if (is_above(bits, is_signed)) return most;
  return (code_ & most) ^ (is_signed ? std::uint64_t{1} << (bits - 1) : 0);
}

std::optional<std::uint64_t> SampleValue::rank_from(int bits, bool is_signed) const {
  if (is_below(bits, is_signed)) return 0;
  if (is_above(bits, is_signed)) return std::nullopt;
  const std::uint64_t floor = *rank_to(bits, is_signed);
  if (!has_fraction_) return floor;
  return floor == ~std::uint64_t{0} >> (64 - bits) ? std::nullopt : std::optional(floor + 1);
}

std::string SampleValue::text() const {
  if (!digits_.empty()) return digits_;
  if (!is_whole()) return shortest(number_);
  return is_negative_ ? std::to_string(static_cast<std::int64_t>(code_)) : std::to_string(code_);
}

bool operator<(const SampleValue& a, const SampleValue& b) {
  if (a.number_ != b.number_ || !a.has_floor_ || !b.has_floor_) return a.number_ < b.number_;
  if (a.code_ != b.code_) return a.code_ < b.code_;  // of one sign: in order as two's complements, too
  return !a.has_fraction_ && b.has_fraction_;
}

std::optional<SampleInterval> SampleInterval::parse(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto low = SampleValue::parse(text.substr(0, dots));
  const auto high = dots == std::string::npos ? low : SampleValue::parse(text.substr(dots + 2));
  if (!low || !high) return std::nullopt;
  return SampleInterval{*low, *high};
}

std::string SampleInterval::text() const { return is_one() ? low.text() : low.text() + ".." + high.text(); }

void sort_and_unite(std::vector<SampleInterval>& intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const SampleInterval& a, const SampleInterval& b) { return a.low < b.low; });
  std::size_t united = 0;
  for (const SampleInterval& next : intervals) {
    if (united == 0 || intervals[united - 1].high < next.low) {
      intervals[united++] = next;
    } else {
      intervals[united - 1].high = std::max(intervals[united - 1].high, next.high);
    }
  }
  intervals.resize(united);
}

}  // namespace gpuccl::io
