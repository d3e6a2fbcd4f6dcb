#pragma once

#include "measure/neighbors.hpp"

namespace gpuccl::measuring {

/// Words of counts from 0 to 4, by their binary digits.
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

/// Elements at the edge by how a line through the centres of all that are at the edge passes them.
template <class Word>
struct EdgeKinds {
  Word straight, diagonal, bent;
};

/// Classifies the elements `at_edge` of a word of one label by the number of edge elements next to each.
/// `above`, `here` and `below`: elements of these rows that are at the edge, which one is if one of its four
/// neighbors is background.
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
  const Word three_corners = corners.ones & corners.twos, one_beside = beside.ones & ~beside.twos;
  const Word straight = beside.twos & ~(corners.fours | three_corners);  // 2 or 3, and at most 2
  const Word diagonal = (~(beside.ones | beside.twos | beside.fours) & corners.twos & ~corners.ones) |
                        (one_beside & three_corners);
  const Word bent = one_beside & (corners.ones ^ corners.twos);
  return {at_edge & straight, at_edge & diagonal, at_edge & bent};
}

}  // namespace gpuccl::measuring
