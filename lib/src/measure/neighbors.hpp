#pragma once

#include <cstddef>
#include <utility>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "measure/directions.hpp"

namespace gpuccl::measuring {

/// Pairs of an element and one of its neighbors, by what they have in common: they are of one component where
/// the connectivity in use joins them, directly or by elements next to both, and else the labels must be
/// looked at. `reach`: that of the connectivity. `Rows`: words of the row and of those around it, as
/// LabeledRow has them.
template <int reach, class Rows>
class Neighbors {
 public:
  GPUCCL_HD explicit Neighbors(const Rows& rows) : rows_(rows) {}

  /// In a word of the row that is all `label` where `mask` is set: returns the elements whose neighbor in a
  /// direction, with dz 0 or -1, is of the same component.
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
  /// The elements that are joined with their neighbor by others that are next to both.
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

/// For each of `directions`, in their order: visit(i, elements of a word whose neighbor there is joined).
template <const auto& directions, int reach, class Rows, class Word, class Visit>
GPUCCL_HD void for_each_direction(const Rows& rows, int word, Word mask, Label label, Visit visit) {
  const Neighbors<reach, Rows> neighbors(rows);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(i, neighbors.template joined<directions[i]>(word, mask, label)), ...);
  }
  (std::make_index_sequence<sizeof(directions) / sizeof(Direction)>());
}

}  // namespace gpuccl::measuring
