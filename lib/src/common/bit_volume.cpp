#include "gpuccl/bit_volume.hpp"

#include <bit>

namespace gpuccl {

BitVolume::BitVolume(Extent extent)
    : extent_(extent),
      row_pitch_(words_per_row(extent.width)),
      words_(std::make_unique<std::uint32_t[]>(static_cast<std::size_t>(extent.rows() * row_pitch_))) {}

void BitVolume::set(int x, int y, int z, bool foreground) {
  std::uint32_t& word = row(y, z)[x / 32];
  const std::uint32_t bit = 1u << (x % 32);
  word = foreground ? word | bit : word & ~bit;
}

std::int64_t count_foreground(BitView image) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < image.extent.rows(); ++row)
    for (std::int64_t i = 0; i < image.row_pitch; ++i) count += std::popcount(image.row(row)[i]);
  return count;
}

}  // namespace gpuccl
