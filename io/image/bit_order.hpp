#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuccl::io {

/// Files keep the first pixel in the most significant bit of a byte, a BitVolume in the least significant.
constexpr std::uint64_t reverse_bits_of_bytes(std::uint64_t word) {
  word = (word >> 1 & 0x5555555555555555u) | (word & 0x5555555555555555u) << 1;
  word = (word >> 2 & 0x3333333333333333u) | (word & 0x3333333333333333u) << 2;
  return (word >> 4 & 0x0f0f0f0f0f0f0f0fu) | (word & 0x0f0f0f0f0f0f0f0fu) << 4;
}

/// Reverses the bits of many bytes, keeps the bits in `keep` and inverts those in `flip`, both patterns of
/// eight bytes. `to` may be `from`.
void reverse_bits(const std::byte* from, std::size_t bytes, std::byte* to,
                  std::uint64_t keep = ~std::uint64_t{0}, std::uint64_t flip = 0);

}  // namespace gpuccl::io
