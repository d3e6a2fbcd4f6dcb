#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuccl::io {

/// The checksum by Castagnoli's polynomial (RFC 3720, 12.1).
inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (0x82f63b78u & (0u - (rest & 1u)));
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::byte byte : bytes)
    sum = sum >> 8 ^ kTable[(sum ^ std::to_integer<std::uint32_t>(byte)) & 255u];
  return ~sum;
}

}  // namespace gpuccl::io
