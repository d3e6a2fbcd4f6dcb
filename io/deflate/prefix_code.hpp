#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/deflate/deflate_symbols.hpp"

// Length-limited prefix codes in the canonical form of Deflate (RFC 1951, 3.2.2).
namespace gpuccl::io {

/// The lengths of the codes of a prefix code (Huffman 1952) of which none has more than `max_length` bits.
/// Symbols of frequency 0 get length 0; at least two others are needed, and the code is then complete, as
/// strict decoders want it.
void find_code_lengths(std::span<const std::uint32_t> frequencies, int max_length,
                       std::span<std::uint8_t> lengths);

/// Deflate's codes of these lengths, their bits in the order in which they are written.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

/// A complete code has two symbols at least.
template <std::size_t size>
void make_complete(std::array<std::uint32_t, size>& frequencies) {
  auto used = std::count_if(frequencies.begin(), frequencies.end(), [](std::uint32_t f) { return f != 0; });
  for (std::size_t i = 0; used < 2; ++i) {
    if (frequencies[i] != 0) continue;
    frequencies[i] = 1;
    ++used;
  }
}

/// A prefix code over `size` symbols made for their frequencies.
template <std::size_t size>
struct PrefixCode {
  std::array<std::uint8_t, size> lengths{};
  std::array<std::uint16_t, size> codes{};

  PrefixCode(const std::array<std::uint32_t, size>& frequencies, int max_length) {
    find_code_lengths(frequencies, max_length, lengths);
    assign_codes(lengths, codes);
  }
  void add_to(Bits& bits, const Symbol& symbol) const {
    bits.add(codes[symbol.number], lengths[symbol.number]);
    bits.add(symbol.extra, symbol.bits);
  }
  /// Returns the number of bits for symbols with these frequencies.
  std::uint64_t bits(const std::array<std::uint32_t, size>& frequencies) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += std::uint64_t{frequencies[i]} * lengths[i];
    return sum;
  }
  std::size_t used() const {
    std::size_t end = size;
    while (lengths[end - 1] == 0) --end;
    return end;
  }
};

}  // namespace gpuccl::io
