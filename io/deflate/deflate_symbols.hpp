#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// Alphabets of compressed blocks (RFC 1951, 3.2.5): one for literals and lengths, another one for
// distances.
namespace gpuccl::io {

inline constexpr std::uint32_t kMinMatch = 3, kMaxMatch = 258;
/// Shortening of a match that is one or two bytes too long, so that the rest has the minimum length.
inline constexpr std::uint32_t kShorterMatch = kMaxMatch - kMinMatch;
inline constexpr int kMaxCodeLength = 15;
inline constexpr std::int64_t kWindow = 32768;  // the farthest distance

inline constexpr std::size_t kEndOfBlock = 256, kFirstLength = 257;
inline constexpr std::size_t kLiteralSymbols = 286, kDistanceSymbols = 30;

/// The alphabet of code lengths in the header of a block, and the order in which the header has them.
inline constexpr std::size_t kLengthSymbols = 19;
inline constexpr std::array<std::uint8_t, kLengthSymbols> kLengthOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                          11, 4,  12, 3, 13, 2, 14, 1, 15};

/// A symbol that stands for several values, which `bits` extra bits tell apart.
struct Symbol {
  std::size_t number = 0;
  int bits = 0;
  std::uint32_t extra = 0;
};

/// Lengths 3 to 258: from 11 on groups of four symbols, each group with one extra bit more; 258 is alone.
constexpr Symbol length_symbol(std::uint32_t length) {
  if (length == kMaxMatch) return {kFirstLength + 28, 0, 0};
  const std::uint32_t from = length - kMinMatch;
  int bits = 0;
  while (from >> bits >= 8) ++bits;
  return {kFirstLength + static_cast<std::size_t>(4 * bits) + (from >> bits), bits,
          from & ((1u << bits) - 1)};
}

/// Distances 1 to 32768: from 5 on groups of two.
constexpr Symbol distance_symbol(std::uint32_t distance) {
  const std::uint32_t from = distance - 1;
  const int bits = static_cast<int>(std::bit_width(from | 3)) - 2;
  return {static_cast<std::size_t>(2 * bits) + (from >> bits), bits, from & ((1u << bits) - 1)};
}
/// The extra bits of one of them.
constexpr int distance_bits(std::size_t symbol) { return symbol < 4 ? 0 : static_cast<int>(symbol / 2) - 1; }

static_assert(length_symbol(3).number == 257 && length_symbol(10).number == 264 &&
              length_symbol(11).number == 265);
static_assert(length_symbol(257).number == 284 && length_symbol(257).bits == 5 &&
              length_symbol(257).extra == 30);
static_assert(distance_symbol(4).number == 3 && distance_symbol(5).number == 4 &&
              distance_symbol(5).bits == 1);
static_assert(distance_symbol(32768).number == 29 && distance_symbol(32768).bits == 13);

}  // namespace gpuccl::io
