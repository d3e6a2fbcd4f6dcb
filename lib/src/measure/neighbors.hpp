#pragma once

#include "gpuccl/connectivity.hpp"
#include "measure/directions.hpp"
#include "measure/row_bits.hpp"

namespace gpuccl::measuring {

/// Pairs of an element and one of its neighbors in another row, by what they have in common: they are of one
/// component where the connectivity in use joins them, directly or by elements beside both, and else the
/// labels must be looked at.
class Neighbors {
 public:
  Neighbors(const LabeledRow& row, Connectivity connectivity) : around_(row), reach_(reach(connectivity)) {}

  /// Of a word of the row, which is all of `label` where `mask` is set: the elements whose neighbor in a
  /// direction, with dz 0 or -1, is of the same component.
  template <Direction to>
  Word joined(int word, Word mask, Label label) const {
    const RowBits other = around_(to.dy, to.dz);
    const Word pairs = around_(0, 0)[word] & mask & other.beside(word, to.dx);
    constexpr int kSteps = (to.dx != 0) + (to.dy != 0) + (to.dz != 0);
    if (kSteps <= reach_) return pairs;
    const Word sure = pairs & between<to>(word);
    if (sure == pairs) return pairs;
    return sure | of_label(pairs & ~sure, word * kWordBits + to.dx, label, around_.runs(to.dy, to.dz));
  }

 private:
  /// The elements that are joined with their neighbor by others that are beside both.
  template <Direction to>
  Word between(int word) const {
    const RowBits here = around_(0, 0), other = around_(to.dy, to.dz);
    if constexpr (to.dy == 0 || to.dz == 0) return here.beside(word, to.dx) | other[word];
    const RowBits by_y = around_(to.dy, 0), by_z = around_(0, to.dz);
    const Word y = by_y[word], z = by_z[word];
    if constexpr (to.dx == 0) return y | z;
    const Word x = here.beside(word, to.dx), yz = other[word];
    const Word xy = by_y.beside(word, to.dx), xz = by_z.beside(word, to.dx);
    if (reach_ > 1) return x | y | z | xy | xz | yz;
    return (x & (xy | xz)) | (y & (xy | yz)) | (z & (xz | yz));
  }

  Around around_;
  int reach_;
};

}  // namespace gpuccl::measuring
