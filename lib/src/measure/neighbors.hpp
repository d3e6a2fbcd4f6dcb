#pragma once

#include <cstddef>
#include <utility>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::measuring {

/// From an element to one of its neighbors.
struct Direction {
  int dx, dy, dz;
};

/// One of each pair of opposite directions to the neighbors, those along axes first.
inline constexpr Direction kDirectionsOfImage[] = {{-1, 0, 0}, {0, -1, 0}, {-1, -1, 0}, {1, -1, 0}};
inline constexpr Direction kDirectionsOfVolume[] = {
    {-1, 0, 0},  {0, -1, 0}, {0, 0, -1},   {-1, -1, 0}, {1, -1, 0},  {-1, 0, -1}, {1, 0, -1},
    {0, -1, -1}, {0, 1, -1}, {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}};

/// Pairs of adjacent elements of the same component. They belong to one component if the connectivity joins
/// them, directly or through elements adjacent to both; otherwise labels must be compared. `reach`: that of
/// the connectivity. `Rows`: words of the row and of those around it, like LabeledRow.
template <int reach, class Rows>
class Neighbors {
 public:
  GPUCCL_HD explicit Neighbors(const Rows& rows) : rows_(rows) {}

  /// Returns the elements of a word whose neighbor in a direction, with dz 0 or -1, belongs to the same
  /// component. Elements in `mask` have `label`.
  template <Direction to, class Word>
  GPUCCL_HD Word joined(int word, Word mask, Label label) const {
    const Word pairs = rows_.bits()[word] & mask & rows_.bits(to.dy, to.dz).beside(word, to.dx);
    constexpr int kSteps = (to.dx != 0) + (to.dy != 0) + (to.dz != 0);
    if constexpr (kSteps <= reach) {
      return pairs;
    } else {
      const Word sure = pairs & between<to, Word>(word);
      if (sure == pairs) return pairs;
      return sure | rows_.template of_label<to>(pairs & ~sure, word, label);
    }
  }

 private:
  /// Returns the elements that are joined with their neighbor through others adjacent to both.
  template <Direction to, class Word>
  GPUCCL_HD Word between(int word) const {
    const auto &here = rows_.bits(), &other = rows_.bits(to.dy, to.dz);
    if constexpr (to.dy == 0 || to.dz == 0) {
      return here.beside(word, to.dx) | other[word];
    } else {
      const auto &by_y = rows_.bits(to.dy, 0), &by_z = rows_.bits(0, to.dz);
      const Word y = by_y[word], z = by_z[word];
      if constexpr (to.dx == 0) {
        return y | z;
      } else {
        const Word x = here.beside(word, to.dx), yz = other[word];
        const Word xy = by_y.beside(word, to.dx), xz = by_z.beside(word, to.dx);
        if constexpr (reach > 1) return x | y | z | xy | xz | yz;
        return (x & (xy | xz)) | (y & (xy | yz)) | (z & (xz | yz));
      }
    }
  }

  const Rows& rows_;
};

/// Calls visit(i, elements of a word whose neighbor in direction i is joined) for each of `directions`, in
/// order.
template <const auto& directions, int reach, class Rows, class Word, class Visit>
GPUCCL_HD void for_each_direction(const Rows& rows, int word, Word mask, Label label, Visit visit) {
  const Neighbors<reach, Rows> neighbors(rows);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(i, neighbors.template joined<directions[i]>(word, mask, label)), ...);
  }
  (std::make_index_sequence<sizeof(directions) / sizeof(Direction)>());
}

/// Words of counts from 0 to 4, one word per binary digit.
template <class Word>
struct CountWords {
  Word ones, twos, fours;

  GPUCCL_HD CountWords(Word a, Word b, Word c, Word d) {
    const Word one_of_ab = a ^ b, one_of_cd = c ^ d;
    ones = one_of_ab ^ one_of_cd;
    twos = (a & b) ^ (c & d) ^ (one_of_ab & one_of_cd);
    fours = a & b & c & d;
  }
};

/// Boundary elements, by how a line through the centers of all boundary elements passes them.
template <class Word>
struct EdgeKinds {
  Word straight, diagonal, bent;
};

/// Classifies the boundary elements `at_edge` of a word by the numbers of boundary elements that share a
/// side, and a corner, with each.
template <class Word>
GPUCCL_HD EdgeKinds<Word> edge_kinds(Word at_edge, const CountWords<Word>& beside,
                                     const CountWords<Word>& corners) {
  const Word three_corners = corners.ones & corners.twos, one_beside = beside.ones & ~beside.twos;
  const Word straight = beside.twos & ~(corners.fours | three_corners);  // 2 or 3, and at most 2
  const Word diagonal = (~(beside.ones | beside.twos | beside.fours) & corners.twos & ~corners.ones) |
                        (one_beside & three_corners);
  const Word bent = one_beside & (corners.ones ^ corners.twos);
  return {at_edge & straight, at_edge & diagonal, at_edge & bent};
}

/// Classifies the boundary elements `at_edge` of a word.
/// `above`, `here`, `below`: boundary elements of these rows; one of their four neighbors is background.
template <int reach, class Rows, class Row, class Word>
GPUCCL_HD EdgeKinds<Word> edge_kinds(const Rows& rows, const Row& above, const Row& here, const Row& below,
                                     int word, Word at_edge, Label label) {
  const CountWords<Word> beside(here.left(word), here.right(word), above[word], below[word]);
  const Neighbors<reach, Rows> neighbors(rows);
  const auto corner = [&]<Direction to>(const Row& edge_of_row) {
    if constexpr (reach > 1) return edge_of_row.beside(word, to.dx) & at_edge;
    return neighbors.template joined<to>(word, edge_of_row.beside(word, to.dx) & at_edge, label);
  };
  const CountWords<Word> corners(corner.template operator()<Direction{-1, -1, 0}>(above),
                                 corner.template operator()<Direction{1, -1, 0}>(above),
                                 corner.template operator()<Direction{-1, 1, 0}>(below),
                                 corner.template operator()<Direction{1, 1, 0}>(below));
  return edge_kinds(at_edge, beside, corners);
}

}  // namespace gpuccl::measuring
