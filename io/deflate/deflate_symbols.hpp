#pragma once

#include <cstddef>
#include <cstdint>

// The alphabets of compressed blocks (RFC 1951, 3.2.5): literals and lengths share one, distances have
// another.
namespace gpuccl::io {

inline constexpr std::uint32_t kMinMatch = 3, kMaxMatch = 258;
inline constexpr std::int64_t kWindow = 32768;  // the farthest distance

inline constexpr std::size_t kEndOfBlock = 256, kFirstLength = 257;
inline constexpr std::size_t kLiteralSymbols = 286, kDistanceSymbols = 30;

/// A symbol that stands for several values, which `bits` extra bits tell apart.
struct Slot {
  std::size_t symbol = 0;
  int bits = 0;
  std::uint32_t extra = 0;
};

/// Lengths 3 to 258: from 11 on groups of four symbols, each group with one extra bit more; 258 is alone.
constexpr Slot length_slot(std::uint32_t length) {
  if (length == kMaxMatch) return {kFirstLength + 28, 0, 0};
  const std::uint32_t from = length - kMinMatch;
  int bits = 0;
  while (from >> bits >= 8) ++bits;
  return {kFirstLength + static_cast<std::size_t>(4 * bits) + (from >> bits), bits,
          from & ((1u << bits) - 1)};
}

/// Distances 1 to 32768: from 5 on groups of two.
constexpr Slot distance_slot(std::int64_t distance) {
  const std::int64_t from = distance - 1;
  int bits = 0;
  while (from >> bits >= 4) ++bits;
  return {static_cast<std::size_t>(2 * bits + (from >> bits)), bits,
          static_cast<std::uint32_t>(from & ((std::int64_t{1} << bits) - 1))};
}
static_assert(length_slot(3).symbol == 257 && length_slot(10).symbol == 264 && length_slot(11).symbol == 265);
static_assert(length_slot(257).symbol == 284 && length_slot(257).bits == 5 && length_slot(257).extra == 30);
static_assert(distance_slot(4).symbol == 3 && distance_slot(5).symbol == 4 && distance_slot(5).bits == 1);
static_assert(distance_slot(32768).symbol == 29 && distance_slot(32768).bits == 13);

}  // namespace gpuccl::io
