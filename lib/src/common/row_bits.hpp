#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "gpuccl/types.hpp"

namespace gpuccl {

/// Returns the number of set bits in a word of 32 or 64 bits.
template <class Word>
GPUCCL_HD int count_ones(Word word) {
#ifdef __CUDA_ARCH__
  return sizeof(Word) == sizeof(unsigned) ? __popc(static_cast<unsigned>(word)) : __popcll(word);
#else
  return std::popcount(word);
#endif
}

// Rows of packed bits, as BitView has them.

/// Entry b: the bits of a 64-bit word at positions with bit b set. Their counts give sums of positions.
inline constexpr std::array<std::uint64_t, 6> kPositionsWithBit = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                                   0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                                   0xffff0000ffff0000, 0xffffffff00000000};

/// Sets elements [begin, end) of a row.
template <class Word>
void fill_span(Word* row, int begin, int end) {
  constexpr int kBits = 8 * sizeof(Word);
  if (begin >= end) return;
  const int first = begin / kBits, last = (end - 1) / kBits;
  const Word from_begin = ~Word{0} << begin % kBits, to_end = ~Word{0} >> (kBits - 1 - (end - 1) % kBits);
  if (first == last) {
    row[first] |= from_begin & to_end;
    return;
  }
  row[first] |= from_begin;
  std::fill(row + first + 1, row + last, ~Word{0});
  row[last] |= to_end;
}

/// Inverts the foreground of a row. Does not change bits beyond `width`.
inline void invert_row(std::uint32_t* row, int width) {
  for (int i = 0; i < width / 32; ++i) row[i] = ~row[i];
  if (width % 32 != 0) row[width / 32] ^= (1u << (width % 32)) - 1;
}

}  // namespace gpuccl
