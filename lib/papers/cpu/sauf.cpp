// Scan plus Array-based Union-Find (SAUF), 4- and 8-connectivity.
//
//   K. Wu, E. Otoo, K. Suzuki, "Two Strategies to Speed up Connected Component Labeling Algorithms", Lawrence
//   Berkeley National Laboratory, LBNL-59102, 2005
//
// FirstScan assigns provisional labels with a decision tree that reads as few neighbors as possible, and
// merges two labels only if nothing else connects them. Flatten numbers the roots. SecondScan writes their
// labels.
//
//     a b c
//     d e
//
// Pixel b touches all others, so it is tested first and needs no union. Next is c, which touches neither a
// nor d and may have to be merged with one of them.
//
// The union-find is the library's. After every union, the paper compresses both paths to the root. Here,
// finds halve their paths, which saves one find and keeps the paths as short.

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

/// Decides with the paper's tree, or with the part of it that remains for 4-connectivity.
template <Connectivity connectivity>
Label decide(const PixelMask& at) {
  if constexpr (connectivity == Connectivity::c8) {
    if (at.b()) return at.of_b();
    if (at.c())
      return at.a() ? at.joined(at.of_c(), at.of_a()) : at.d() ? at.joined(at.of_c(), at.of_d()) : at.of_c();
    if (at.a()) return at.of_a();
    if (at.d()) return at.of_d();
  } else {
    if (at.b()) return at.d() ? at.joined(at.of_b(), at.of_d()) : at.of_b();
    if (at.d()) return at.of_d();
  }
  return at.new_label();
}

template <Connectivity connectivity>
void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; ++y)
    for (PixelMask at(slice, y, table); !at.ended();) at.write(at.e() ? decide<connectivity>(at) : 0);
}

}  // namespace

std::unique_ptr<Labeler> make_sauf(Connectivity connectivity) {
  using enum Connectivity;
  if (connectivity == c4) return std::make_unique<TwoScans<Scan::pixels, first_scan<c4>>>();
  return std::make_unique<TwoScans<Scan::pixels, first_scan<c8>>>();
}

}  // namespace gpuccl::cpu
