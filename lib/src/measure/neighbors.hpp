#pragma once

#include <cstdlib>

#include "gpuccl/connectivity.hpp"
#include "measure/row_bits.hpp"

namespace gpuccl::measuring {

/// Pairs of an element and one of its neighbors in another row, by what they have in common: they are of one
/// component where the connectivity in use joins them, directly or by elements beside both, and else the
/// labels must be looked at.
class Neighbors {
 public:
  Neighbors(const LabeledRow& row, Connectivity connectivity) : around_(row), reach_(reach(connectivity)) {}

  /// Of a word of the row, which is all of `label` where `mask` is set: the elements whose neighbor (dx, dy,
  /// dz) is of the same component. The neighbor comes before the element, but for (dx, 1, -1).
  Word joined(int word, Word mask, Label label, int dx, int dy, int dz) const {
    const RowBits other = around_(dy, dz);
    const Word pairs = around_(0, 0)[word] & mask & other.beside(word, dx);
    const int steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
    if (pairs == 0 || steps <= reach_) return pairs;
    const Word sure = pairs & between(word, dx, dy, dz);
    if (sure == pairs) return pairs;
    return sure | of_label(pairs & ~sure, word * kWordBits + dx, label, around_.runs(dy, dz));
  }

 private:
  /// The elements that are joined with their neighbor by others that are beside both.
  Word between(int word, int dx, int dy, int dz) const {
    const RowBits here = around_(0, 0), other = around_(dy, dz);
    if (dx != 0 && (dy == 0 || dz == 0)) return here.beside(word, dx) | other[word];
    const RowBits by_y = around_(dy, 0), by_z = around_(0, dz);
    if (dx == 0) return by_y[word] | by_z[word];
    const Word x = here.beside(word, dx), y = by_y[word], z = by_z[word];
    const Word xy = by_y.beside(word, dx), xz = by_z.beside(word, dx), yz = other[word];
    if (reach_ > 1) return x | y | z | xy | xz | yz;
    return (x & (xy | xz)) | (y & (xy | yz)) | (z & (xz | yz));
  }

  Around around_;
  int reach_;
};

}  // namespace gpuccl::measuring
