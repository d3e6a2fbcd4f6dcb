#pragma once

#include <cstdint>

#include "cuda/runs/core/tile.cuh"

namespace gpuccl::cuda::runs {

/// A word of a row and two elements on either side. Has the names of the rows that the CPU measures
/// (measure/row_bits.hpp), so both use the same formulas. Ignores the index of the word.
class RowAround {
 public:
  RowAround() = default;

  /// Loads the word. Elements outside of the image are 0.
  __device__ static RowAround load(const TiledImage& frame, int word, int y, int z) {
    RowAround row;
    if (!frame.has_row(y, z)) return row;
    const Word* const words = frame.words + frame.word_index(0, y, z);
    if (frame.has_word(word)) row.bits_ = std::uint64_t{words[word]} << kBeside;
    if (frame.has_word(word - 1)) row.bits_ |= words[word - 1] >> (kWordBits - kBeside);
    if (frame.has_word(word + 1)) row.bits_ |= std::uint64_t{words[word + 1] & 3u} << (kWordBits + kBeside);
    return row;
  }

  __device__ Word operator[](int) const { return at(0); }
  __device__ Word left(int) const { return at(-1); }
  __device__ Word right(int) const { return at(1); }
  __device__ Word beside(int, int dx) const { return at(dx); }

  /// Returns the elements with a background neighbor along x or y, including one element on either side of
  /// the word.
  __device__ RowAround edges(const RowAround& above, const RowAround& below) const {
    RowAround row;
    row.bits_ = bits_ & ~(bits_ << 1 & bits_ >> 1 & above.bits_ & below.bits_);
    return row;
  }

 private:
  static constexpr int kBeside = 2;

  /// Returns the bits of elements x + dx at positions x.
  __device__ Word at(int dx) const { return static_cast<Word>(bits_ >> (kBeside + dx)); }

  std::uint64_t bits_ = 0;
};

/// The rows of a bundle and the rows around them.
template <class Tile>
struct RowsAround {
  static constexpr bool kIsVolume = is_3d(Tile::connectivity);
  static constexpr int kAbove = kIsVolume ? 1 : 2;  // and the same number below
  static constexpr int kBefore = kIsVolume ? 1 : 0;

  RowAround rows[kBefore + Tile::kRowsZ][Tile::kRowsY + 2 * kAbove];

  __device__ static RowsAround load(const TiledImage& frame, int word, int y, int z) {
    RowsAround around;
#pragma unroll
    for (int dz = -kBefore; dz < Tile::kRowsZ; ++dz)
#pragma unroll
      for (int dy = -kAbove; dy < Tile::kRowsY + kAbove; ++dy)
        around.rows[dz + kBefore][dy + kAbove] = RowAround::load(frame, word, y + dy, z + dz);
    return around;
  }
};

}  // namespace gpuccl::cuda::runs
