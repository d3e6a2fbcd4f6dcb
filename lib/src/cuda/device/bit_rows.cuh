#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/device/image_ref.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

using Word64 = unsigned long long;  // 64 elements of a row; CUDA's atomics and bit counts take this type

/// The input as bits on the device. Bit b of word i is the element with index 64 * i + b in all other views.
struct BitRows {
  const Word64* words = nullptr;
  Extent extent;
  unsigned words_a_row = 0;

  GPUCCL_HD std::uint64_t count() const { return static_cast<std::uint64_t>(extent.rows()) * words_a_row; }

  /// Returns whether element `element`, which is even, and the next one are foreground, as bits 0 and 1.
  __device__ unsigned pair(Index element) const { return words[element / 64] >> (element % 64) & 3u; }
};

/// A word of a row, and its coordinates.
struct WordPlace {
  std::uint64_t index;
  int column, y, z;

  __device__ static WordPlace at(const BitRows& bits, std::uint64_t index) {
    const unsigned row = static_cast<unsigned>(index) / bits.words_a_row;  // at most 2^26 words
    const unsigned z = row / static_cast<unsigned>(bits.extent.height);
    return {index, static_cast<int>(static_cast<unsigned>(index) - row * bits.words_a_row),
            static_cast<int>(row - z * static_cast<unsigned>(bits.extent.height)), static_cast<int>(z)};
  }
};

/// Returns a word of a row, extended by one element to both sides with bits from its neighbors in the row:
/// the columns in which an element of an adjacent row touches it, straight or diagonally.
__device__ inline Word64 spread(const Word64* words, bool has_left, bool has_right) {
  Word64 result = *words | *words << 1 | *words >> 1;
  if (has_left) result |= words[-1] >> 63;
  if (has_right) result |= words[1] << 63;
  return result;
}

/// Returns the foreground elements of a word that no preceding element touches. They include the first
/// element of each component. Most others are local corners, which are rare, so the work for each may be
/// expensive.
template <Connectivity connectivity>
__device__ Word64 elements_without_predecessor(const BitRows& bits, WordPlace at) {
  const Word64* const here = bits.words + at.index;
  const Word64 word = *here;
  if (word == 0) return 0;

  const bool has_left = at.column > 0, has_right = at.column + 1 < static_cast<int>(bits.words_a_row);
  Word64 touched = word << 1 | (has_left ? here[-1] >> 63 : 0);
  for (int dz = is_3d(connectivity) ? -1 : 0; dz <= 0; ++dz)
    for (int dy = -1; dy <= (dz < 0 ? 1 : -1); ++dy) {
      const int axes_left = max_axes(connectivity) - (dy != 0) - (dz != 0);
      if (axes_left < 0 || at.y + dy < 0 || at.y + dy >= bits.extent.height || at.z + dz < 0) continue;
      const std::int64_t rows_back = static_cast<std::int64_t>(dz) * bits.extent.height + dy;
      const Word64* const row = here + rows_back * bits.words_a_row;
      touched |= axes_left == 0 ? *row : spread(row, has_left, has_right);
    }
  return word & ~touched;
}

/// Calls visit(bit) for each set bit, in ascending order.
template <class Visit>
__device__ void for_each_bit(Word64 word, Visit visit) {
  for (; word != 0; word &= word - 1) visit(__ffsll(static_cast<long long>(word)) - 1);
}

/// Input and output of one labeling: the same image as bits and as bytes, and the labels.
struct LabelingBuffers {
  BitRows bits;
  ImageRef<const Pixel> image;
  ImageRef<Label> labels;
};

}  // namespace gpuccl::cuda
