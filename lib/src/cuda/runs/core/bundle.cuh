#pragma once

#include "cuda/runs/core/tile.cuh"

namespace gpuccl::cuda::runs {

/// Calls visit(i, index) for each row of the bundle that begins in row (y, z), where index is that of word
/// `word` in the row. Skips rows outside of the image, and all rows if the word is outside.
template <class Tile, class Visit>
__device__ void for_each_row(const TiledImage& frame, int word, int y, int z, Visit visit) {
  const std::int64_t first = frame.word_index(word, y, z);
  const bool inside = frame.has_word(word);
#pragma unroll
  for (int i = 0; i < Tile::kBundleRows; ++i) {
    const int dy = i % Tile::kRowsY, dz = i / Tile::kRowsY;
    if (inside && frame.has_row(y + dy, z + dz)) visit(i, first + frame.word_index(0, dy, dz));
  }
}

/// Returns the index of the word of values that this thread owns; negative if it is outside of the image.
template <class Tile>
__device__ std::int64_t index_of_word(const TiledImage& frame, const WordPosition<Tile>& place) {
  std::int64_t index = -1;
  for_each_row<Tile>(frame, place.image_word(), place.y(), place.z(),
                     [&](int, std::int64_t at) { index = at; });
  return index;
}

/// One word of the rows of a bundle. Row i is element i of a RowSet.
template <class Tile>
struct Bundle {
  static constexpr int kWords = Tile::kBundleRows;
  /// Number of words from which the pieces follow.
  static constexpr int kWordsOfPieces = kWords;

  Word row[kWords];

  /// Loads the word from the image; rows outside of it contain zeros.
  __device__ static Bundle load(const TiledImage& frame, int word, int y, int z) {
    Bundle bundle{};
    for_each_row<Tile>(frame, word, y, z,
                       [&](int i, std::int64_t index) { bundle.row[i] = frame.words[index]; });
    return bundle;
  }

  template <cpu::RowSet set>
  __device__ Word united() const {
    Word word = 0;
#pragma unroll
    for (int i = 0; i < Tile::kBundleRows; ++i)
      if ((set >> i & 1u) != 0) word |= row[i];
    return word;
  }
  __device__ Word all() const { return united<Tile::Shape::rows>(); }

  /// Returns the first elements of the pieces, as bits.
  __device__ Word starts() const { return piece_starts(all()); }
  /// Returns the elements of the piece that begins at the one bit of `start`.
  __device__ Word piece(Word start) const { return whole_piece(all(), start); }
};

/// One word of a row of values, as planes (value_shape.cuh): the elements that are not 0, those that connect
/// to the element on their left, and those that connect to the element in the same column of the row at side
/// 0, and at side 1.
template <class Tile>
requires(Tile::kOfValues) struct Bundle<Tile> {
  using Planes = ValuePlanes<Tile::connectivity>;
  static constexpr int kWords = Planes::kDense;
  static constexpr int kWordsOfPieces = 2;

  Word row[kWords];

  __device__ static Bundle load(const TiledImage& frame, int word, int y, int z) {
    Bundle bundle{};
    for_each_row<Tile>(frame, word, y, z, [&](int, std::int64_t index) {
#pragma unroll
      for (int plane = 0; plane < kWords; ++plane)
        bundle.row[plane] = frame.words[frame.plane(plane) + index];
    });
    return bundle;
  }

  __device__ Word all() const { return row[Planes::kSet]; }
  __device__ Word same_as_left() const { return row[Planes::kLeft]; }
  template <int side>
  __device__ Word same_as_other() const {
    return row[Planes::kSameAsOther + side];
  }

  __device__ Word starts() const { return all() & ~(same_as_left() & ~1u); }
  __device__ Word piece(Word start) const { return whole_piece((all() & ~starts()) | start, start); }
};

/// Return the rows of `own` that face the bundle at side `side`, and the rows of that bundle that face `own`.
template <int side, class Tile>
__device__ Word own_face(const Bundle<Tile>& own) {
  return own.template united<Tile::template kSide<side>.own>();
}
template <int side, class Tile>
__device__ Word other_face(const Bundle<Tile>& other) {
  return other.template united<Tile::template kSide<side>.other>();
}

/// Returns the columns in which `own` and the bundle at side `side` touch, or, if the side is diagonal, the
/// corners as touching_corners() does. For values: contacts in the same column, for sides 0 and 1.
template <int side, class Tile>
__device__ Word touching(const Bundle<Tile>& own, const Bundle<Tile>& other) {
  if constexpr (Tile::kOfValues) {
    return own.template same_as_other<side>() & other.all();
  } else {
    const Word a = own_face<side>(own), b = other_face<side>(other);
    if constexpr (Tile::template kSide<side>.diagonal)
      return touching_corners(a, b);
    else
      return a & b;
  }
}

/// Returns where a contact of `own` with the bundle at side `side` needs no union, because other contacts
/// (witnesses) connect the two pieces. Only contacts with bundles above, and contacts that do not depend on
/// this one, are witnesses, so a chain of unions always remains.
///
///       layer before   this layer          B, via C: own-A, A-C, C-B
///            C              A              C, via A: own-A, A-C
///            B             own             D, via B: own-B, B-D
///            D              .
template <int side, class Tile>
__device__ Word witnesses(const Bundle<Tile>& own, const Bundle<Tile> (&others)[Tile::kNeighbors]) {
  if constexpr (side == 1) {
    return touching<0>(own, others[0]) & touching<1>(others[0], others[2]) &
           touching<0>(others[1], others[2]);
  } else if constexpr (side >= 2 && Tile::connectivity == Connectivity::c18) {
    // The elements share an edge. An element next to the contact, in A or B, touches both.
    const Word near = side == 2 ? others[0].all() | others[1].all() : others[1].all();
    return near | near << 1 | near >> 1;
  } else if constexpr (side == 2) {
    return touching<0>(own, others[0]) & touching<1>(others[0], others[2]);
  } else if constexpr (side == 3) {
    return touching<1>(own, others[1]) & touching<0>(others[3], others[1]);
  } else {
    return 0;
  }
}

/// Returns the bundles that witnesses<side>() reads, as bits.
template <class Tile>
__device__ constexpr unsigned witnesses_of(int side) {
  if (side == 1) return 0b0101;
  if (side >= 2 && Tile::connectivity == Connectivity::c18) return side == 2 ? 0b0011 : 0b0010;
  if (side == 2) return 0b0001;
  return side == 3 ? 0b0010 : 0;
}

}  // namespace gpuccl::cuda::runs
