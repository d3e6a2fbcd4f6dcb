#pragma once

#include <cstdint>

namespace gpuccl::io {

/// Files keep the first pixel in the most significant bit of a byte, a BitVolume in the least significant.
constexpr std::uint64_t reverse_bits_of_bytes(std::uint64_t word) {
  word = (word >> 1 & 0x5555555555555555u) | (word & 0x5555555555555555u) << 1;
  word = (word >> 2 & 0x3333333333333333u) | (word & 0x3333333333333333u) << 2;
  return (word >> 4 & 0x0f0f0f0f0f0f0f0fu) | (word & 0x0f0f0f0f0f0f0f0fu) << 4;
}

}  // namespace gpuccl::io
