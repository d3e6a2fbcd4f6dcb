// Scan plus Array-based Union-Find (SAUF), 4- and 8-connectivity.
//
//   K. Wu, E. Otoo, K. Suzuki, "Two Strategies to Speed up Connected Component Labeling Algorithms", Lawrence
//   Berkeley National Laboratory, LBNL-59102, 2005
//
// FirstScan gives provisional labels, with a decision tree that looks at no more neighbors than it must and
// joins two labels only where nothing else can; Flatten numbers the roots; SecondScan writes them.
//
//     a b c        b touches all others, so it is asked first and nothing has to be joined; then c, which
//     touches d e          neither a nor d and may have to be joined with one of them.
//
// The union-find is the library's. After every union the paper compresses both paths to the root; here walks
// halve the paths they follow, which costs one walk less and keeps them as short.

#include "common/union_find.hpp"
#include "cpu/algorithms.hpp"
#include "cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

using Forest = UnionFind<ZeroBased, OneThread, Walk::halving>;

/// Labels of one row, and of the row above, while it is scanned.
struct Scan {
  const Pixel* image;  // at pixel e
  Label* labels;
  Index pitch;
  Equivalences& table;

  bool a() const { return image[-std::int64_t{pitch} - 1] != 0; }
  bool b() const { return image[-std::int64_t{pitch}] != 0; }
  bool c() const { return image[-std::int64_t{pitch} + 1] != 0; }
  bool d() const { return image[-1] != 0; }
  Label of_a() const { return labels[-std::int64_t{pitch} - 1]; }
  Label of_b() const { return labels[-std::int64_t{pitch}]; }
  Label of_c() const { return labels[-std::int64_t{pitch} + 1]; }
  Label of_d() const { return labels[-1]; }

  Label joined(Label one, Label other) const {
    if (one != other) Forest{table.parents()}.unite(one, other);
    return one;
  }
};

/// The decision trees: the one of the paper, and what is left of it for 4-connectivity.
template <Connectivity connectivity>
Label decide(const Scan& e) {
  if constexpr (connectivity == Connectivity::c8) {
    if (e.b()) return e.of_b();
    if (e.c()) return e.a() ? e.joined(e.of_c(), e.of_a()) : e.d() ? e.joined(e.of_c(), e.of_d()) : e.of_c();
    if (e.a()) return e.of_a();
    if (e.d()) return e.of_d();
  } else {
    if (e.b()) return e.d() ? e.joined(e.of_b(), e.of_d()) : e.of_b();
    if (e.d()) return e.of_d();
  }
  return e.table.new_label();
}

template <Connectivity connectivity>
void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; ++y) {
    Scan at{slice.image + slice.index(0, y), slice.labels + slice.index(0, y), slice.pitch(), table};
    for (int x = 0; x < slice.width; ++x, ++at.image, ++at.labels)
      *at.labels = *at.image != 0 ? decide<connectivity>(at) : 0;
  }
}

}  // namespace

std::unique_ptr<Labeler> make_sauf(Connectivity connectivity) {
  if (connectivity == Connectivity::c4) return std::make_unique<TwoScans<first_scan<Connectivity::c4>>>();
  return std::make_unique<TwoScans<first_scan<Connectivity::c8>>>();
}

}  // namespace gpuccl::cpu
