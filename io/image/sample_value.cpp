#include "io/image/sample_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

template <class T>
std::optional<T> parse_as(const std::string& text, std::errc* problem = nullptr) {
  T value{};
  const char* const all = text.data() + text.size();
  const auto [end, found] = std::from_chars(text.data(), all, value);
  if (problem != nullptr && end == all) *problem = found;
  if (found != std::errc{} || end != all) return std::nullopt;
  return value;
}

}  // namespace

std::optional<SampleValue> SampleValue::parse(const std::string& text) {
  SampleValue value;
  if (const auto whole = parse_as<std::uint64_t>(text)) {
    value.code_ = *whole;
    value.number_ = static_cast<double>(*whole);
    value.is_whole_ = true;
    return value;
  }
  std::errc problem{};
  if (const auto whole = parse_as<std::int64_t>(text, &problem)) {
    value.code_ = static_cast<std::uint64_t>(*whole);
    value.number_ = static_cast<double>(*whole);
    value.is_whole_ = true;
    value.is_negative_ = *whole < 0;
    return value;
  }
  const std::optional<double> real = parse_as<double>(text);
  if (!real || !std::isfinite(*real)) return std::nullopt;
  value.number_ = *real;
  const bool is_beyond =
      problem == std::errc::result_out_of_range;  // though a double may be rounded to what is not
  if (is_beyond || *real != std::trunc(*real) || *real < -0x1p63 || *real >= 0x1p64) return value;
  value.is_whole_ = true;
  value.is_negative_ = *real < 0;
  value.code_ = value.is_negative_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(*real))
                                   : static_cast<std::uint64_t>(*real);
  value.number_ += 0.0;  // -0 is 0
  return value;
}

std::optional<std::uint64_t> SampleValue::code(int bits, bool is_signed) const {
  if (!is_whole_) return std::nullopt;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits), sign = std::uint64_t{1} << (bits - 1);
  if (is_negative_ && (!is_signed || code_ < ~sign + 1)) return std::nullopt;
  if (!is_negative_ && code_ > (is_signed ? sign - 1 : mask)) return std::nullopt;
  return code_ & mask;
}

std::uint64_t SampleValue::rank_of_whole(double whole, int bits, bool is_signed) const {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t sign = is_signed ? std::uint64_t{1} << (bits - 1) : 0;
  const std::uint64_t code = is_whole_   ? code_
                             : whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                                         : static_cast<std::uint64_t>(whole);
  return (code & mask) ^ sign;
}

std::optional<std::uint64_t> SampleValue::rank_from(int bits, bool is_signed) const {
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits), least = is_signed ? -end : 0;
  const double whole = std::ceil(number_);
  if (whole < least) return 0;
  if (is_whole_ ? !code(bits, is_signed) : whole >= end) return std::nullopt;
  return rank_of_whole(whole, bits, is_signed);
}

std::optional<std::uint64_t> SampleValue::rank_to(int bits, bool is_signed) const {
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits), least = is_signed ? -end : 0;
  const double whole = std::floor(number_);
  const bool is_rounded_up =
      !is_whole_ && whole == -0x1p63;  // from what is less and has no double of its own
  if (whole < least || is_rounded_up) return std::nullopt;
  if (is_whole_ ? !code(bits, is_signed) : whole >= end) return ~std::uint64_t{0} >> (64 - bits);
  return rank_of_whole(whole, bits, is_signed);
}

std::string SampleValue::text() const {
  if (!is_whole_) return shortest(number_);
  return is_negative_ ? std::to_string(static_cast<std::int64_t>(code_)) : std::to_string(code_);
}

bool operator<(const SampleValue& a, const SampleValue& b) {
  if (a.number_ != b.number_ || !a.is_whole_ || !b.is_whole_) return a.number_ < b.number_;
  return a.code_ < b.code_;  // of one sign: in order as two's complements, too
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
