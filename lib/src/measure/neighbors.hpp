#pragma once

#include "measure/directions.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {

/// Pairs of an element and one of its neighbors, by what they have in common: they are of one component where
/// the connectivity in use joins them, directly or by elements beside both, and else the labels must be
/// looked at. `reach`: that of the connectivity.
template <int reach>
class Neighbors {
 public:
  explicit Neighbors(const LabeledRow& row) : row_(row) {}

  /// Of a word of the row, which is all of `label` where `mask` is set: the elements whose neighbor in a
  /// direction, with dz 0 or -1, is of the same component.
  template <Direction to>
  Word joined(int word, Word mask, Label label) const {
    const Word pairs = row_.bits()[word] & mask & row_.bits(to.dy, to.dz).beside(word, to.dx);
    constexpr int kSteps = (to.dx != 0) + (to.dy != 0) + (to.dz != 0);
    if constexpr (kSteps <= reach) {
      return pairs;
    } else {
      const Word sure = pairs & between<to>(word);
      if (sure == pairs) return pairs;
      return sure | of_label(pairs & ~sure, word * kWordBits + to.dx, label, row_.spans(to.dy, to.dz));
    }
  }

 private:
  /// The elements that are joined with their neighbor by others that are beside both.
  template <Direction to>
  Word between(int word) const {
    const RowBits &here = row_.bits(), &other = row_.bits(to.dy, to.dz);
    if constexpr (to.dy == 0 || to.dz == 0) {
      return here.beside(word, to.dx) | other[word];
    } else {
      const RowBits &by_y = row_.bits(to.dy, 0), &by_z = row_.bits(0, to.dz);
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

  const LabeledRow& row_;
};

}  // namespace gpuccl::measuring
