#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::io {

/// The shortest text that is read back as the same number: "0.1", "1e+30".
std::string shortest(double value);

/// Numbers with blanks, commas or parentheses between them: "1 2.5", "(1,0,0)". None if there is anything
/// else.
std::optional<std::vector<double>> numbers_in(std::string_view text);

/// Parts with blanks between them.
std::vector<std::string> words_in(std::string_view text);

/// Returns a text without the byte order mark that Excel and other programs of Windows begin it with.
std::string_view without_byte_order_mark(std::string_view text);

/// "71 MiB", "8 KiB": rounded up.
std::string bytes_in_words(double bytes);

// Formats numbers exactly as std::to_chars does, but several times as fast: reports contain millions of
// numbers.

/// Bytes that put_decimal() may write to, of the longest number and behind its end.
inline constexpr std::size_t kDecimalRoom = 352;

/// The eight digits of a number below 10^8, one a byte, the first in the lowest.
inline std::uint64_t eight_digits(std::uint64_t number) {
  // Divisions by multiplication, of all parts in one word at once: two of 4 digits, four of 2, eight of 1.
  std::uint64_t parts = number / 10000 | number % 10000 << 32;
  std::uint64_t high = (parts * 10486 >> 20) & 0x0000007f0000007f;
  parts = high | (parts - 100 * high) << 16;
  high = (parts * 103 >> 10) & 0x000f000f000f000f;
  return high | (parts - 10 * high) << 8;
}

inline constexpr std::uint64_t kEightZeros = 0x3030303030303030;  // as characters

inline void put_eight(char* out, std::uint64_t digits) {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  const std::uint64_t text = digits | kEightZeros;
  std::memcpy(out, &text, sizeof text);
}

char* put_long(char* out, std::uint64_t number);  // of five digits or more

/// Writes a number to `out` and returns its end.
inline char* put_decimal(char* out, std::uint64_t number) {
  if (number >= 10000) return put_long(out, number);
  auto digits = static_cast<std::uint32_t>(number);  // as eight_digits()
  std::uint32_t high = digits * 10486 >> 20;
  digits = high | (digits - 100 * high) << 16;
  high = (digits * 103 >> 10) & 0x000f000f;
  digits = high | (digits - 10 * high) << 8;
  const int leading = std::countr_zero(digits | 1u << 24) / 8;  // the last digit is not a leading zero
  const std::uint32_t text = (digits | static_cast<std::uint32_t>(kEightZeros)) >> 8 * leading;
  std::memcpy(out, &text, sizeof text);
  return out + 4 - leading;
}

[[gnu::noinline]] inline char* put_long(char* out, std::uint64_t number) {
  constexpr std::uint64_t kEight = 100000000;
  if (number < kEight) {
    const std::uint64_t digits = eight_digits(number);
    const int leading = std::countr_zero(digits) / 8;
    put_eight(out, digits >> 8 * leading);
    return out + 8 - leading;
  }
  out = put_decimal(out, number / kEight);
  put_eight(out, eight_digits(number % kEight));
  return out + 8;
}

/// The decimals of `fraction` / 2^bits, the fewest that no other fraction of so many bits is nearer to, as 16
/// digits. Not 0, and 22 <= bits <= 52.
inline std::uint64_t shortest_decimals(std::uint64_t fraction, int bits) {
  static constexpr auto kPowersOfTen = [] {
    std::array<std::uint64_t, 17> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
    return powers;
  }();
  __extension__ using Product = unsigned __int128;
  // So many digits always do, for 10^enough > 2^bits.
  const auto enough = static_cast<std::size_t>(bits * 1233 / 4096 + 1);
  const std::uint64_t scale = kPowersOfTen[enough];
  const Product scaled = Product{fraction} * scale;
  const std::uint64_t one = std::uint64_t{1} << bits;
  const auto digits = static_cast<std::uint64_t>(scaled >> bits);
  const std::uint64_t rest = static_cast<std::uint64_t>(scaled) & (one - 1);  // digits + rest / one is exact

  // Numbers up to half a step from this fraction, in units of `rest`, read back as it. A number half-way
  // between two fractions reads back as the even one.
  const std::uint64_t reach = scale / 2 - (fraction & 1);
  const std::uint64_t last = digits % 10;
  const std::uint64_t above_ten = last * one + rest;
  std::uint64_t nearest = 0;
  if (above_ten <= reach)
    nearest = digits - last;
  else if (10 * one - above_ten <= reach)
    nearest = digits - last + 10;
  else
    nearest = digits + (rest > one / 2 || (rest == one / 2 && digits % 2 == 1));
  return nearest * kPowersOfTen[16 - enough];
}

/// Formats a number with a fraction: the fewest digits that read back as the same value, the nearest of
/// these, without an exponent.
inline char* put_decimal(char* out, double number) {
  constexpr double kMax = 2147483648.0;
  const auto representation = std::bit_cast<std::uint64_t>(number);
  if (!(number >= 1 && number < kMax) && representation != 0)
    return std::to_chars(out, out + kDecimalRoom, number, std::chars_format::fixed).ptr;
  const auto whole = static_cast<std::int64_t>(number);
  out = put_decimal(out, static_cast<std::uint64_t>(whole));
  if (static_cast<double>(whole) == number) return out;

  constexpr int kMantissa = std::numeric_limits<double>::digits - 1;
  const int bits = kMantissa - (static_cast<int>(representation >> kMantissa) - 1023);
  const std::uint64_t fraction = representation & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t decimals = shortest_decimals(fraction, bits);
  const std::uint64_t first = eight_digits(decimals / 100000000), second = eight_digits(decimals % 100000000);
  *out++ = '.';
  put_eight(out, first);
  put_eight(out + 8, second);
  return second != 0 ? out + 16 - std::countl_zero(second) / 8 : out + 8 - std::countl_zero(first) / 8;
}

}  // namespace gpuccl::io
