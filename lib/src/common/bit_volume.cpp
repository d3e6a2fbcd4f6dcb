#include "gpuccl/bit_volume.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <new>

namespace gpuccl {

BitVolume::BitVolume(Extent extent) : extent_(extent), row_pitch_(words_per_row(extent.width)) {
  const auto words = static_cast<std::size_t>(extent.rows() * row_pitch_);
  words_.reset(
      static_cast<std::uint32_t*>(std::calloc(std::max<std::size_t>(1, words), sizeof(std::uint32_t))));
  if (words_ == nullptr) throw std::bad_alloc();
}

void BitVolume::set(int x, int y, int z, bool foreground) {
  std::uint32_t& word = row(y, z)[x / 32];
  const std::uint32_t bit = 1u << (x % 32);
  word = foreground ? word | bit : word & ~bit;
}

std::int64_t count_foreground(BitView image) {
  using Words = tbb::blocked_range<const std::uint32_t*>;
  constexpr std::size_t kWordsATask = std::size_t{1} << 18;
  const std::uint32_t* const end = image.row(image.extent.rows());
  return tbb::parallel_reduce(
      Words(image.words, end, kWordsATask), std::int64_t{0},
      [](const Words& words, std::int64_t count) {
        for (const std::uint32_t word : words) count += std::popcount(word);
        return count;
      },
      std::plus<>());
}

}  // namespace gpuccl
