#pragma once

#include <array>

#include "gpuccl/types.hpp"

namespace gpuccl {

/// Visits the neighbors that precede an element in raster order. The other neighbors visit the element.
template <Connectivity connectivity, class Visit>
GPUCCL_HD void for_each_preceding(Visit visit) {
  for (int dz = is_3d(connectivity) ? -1 : 0; dz <= 0; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const bool precedes = dz < 0 || (dz == 0 && (dy < 0 || (dy == 0 && dx < 0)));
        if (precedes && dx * dx + dy * dy + dz * dz <= max_axes(connectivity)) visit(dx, dy, dz);
      }
}

/// Visits all neighbors.
template <Connectivity connectivity, class Visit>
GPUCCL_HD void for_each_neighbor(Visit visit) {
  for_each_preceding<connectivity>([&](int dx, int dy, int dz) {
    visit(dx, dy, dz);
    visit(-dx, -dy, -dz);
  });
}

}  // namespace gpuccl

// Bundles of rows for each connectivity, and the bundles that touch.
//
// A bundle is the bitwise OR of neighboring rows, such that all foreground elements in one of its runs are
// connected: two rows with 8-connectivity, 2x2 rows (y, z) with 26-connectivity, else one row. The nodes
// of the union-find are the runs of bundles, which are fewer than the runs of rows.
//
// Bundles of row pairs come from BMRS: W. Lee, S. Allegretti, F. Bolelli, C. Grana, "Fast Run-Based Connected
// Components Labeling for Bitonal Images", ICIEV & icIVPR 2021, doi:10.1109/ICIEVicIVPR52578.2021.9564128
namespace gpuccl::cpu {

/// Calls work.operator()<connectivity>().
template <class Work>
auto with_connectivity(Connectivity connectivity, const Work& work) {
  switch (connectivity) {
    case Connectivity::c4:
      return work.template operator()<Connectivity::c4>();
    case Connectivity::c8:
      return work.template operator()<Connectivity::c8>();
    case Connectivity::c6:
      return work.template operator()<Connectivity::c6>();
    case Connectivity::c18:
      return work.template operator()<Connectivity::c18>();
    case Connectivity::c26:
      return work.template operator()<Connectivity::c26>();
  }
  throw Error(ErrorCode::usage, "no such connectivity");
}

/// A set of rows of a bundle: bit y + 2 z is row (y, z).
using RowSet = unsigned;

/// Return the number of rows along y in a bundle, and the number of slices.
constexpr int height_of(RowSet rows) { return (rows & 0b0010u) != 0 ? 2 : 1; }
constexpr int depth_of(RowSet rows) { return (rows & 0b0100u) != 0 ? 2 : 1; }

constexpr RowSet rows_of_bundle(Connectivity connectivity) {
  return connectivity == Connectivity::c26 ? 0b1111 : connectivity == Connectivity::c8 ? 0b0011 : 0b0001;
}

/// A preceding bundle in the order z, then y, and the rows of the two that touch.
struct Side {
  int dy, dz;     // from this bundle to the other
  RowSet own;     // rows of this bundle that face the other
  RowSet other;   // rows of the other bundle that face this one
  bool diagonal;  // elements also touch when x differs by one
};

template <Connectivity connectivity>
struct Shape;

template <>
struct Shape<Connectivity::c4> {
  static constexpr RowSet rows = rows_of_bundle(Connectivity::c4);
  static constexpr std::array<Side, 1> sides{{{-1, 0, 1, 1, false}}};
};

template <>
struct Shape<Connectivity::c8> {
  static constexpr RowSet rows = rows_of_bundle(Connectivity::c8);
  static constexpr std::array<Side, 1> sides{{{-1, 0, 0b01, 0b10, true}}};
};

template <>
struct Shape<Connectivity::c6> {
  static constexpr RowSet rows = rows_of_bundle(Connectivity::c6);
  static constexpr std::array<Side, 2> sides{{{-1, 0, 1, 1, false}, {0, -1, 1, 1, false}}};
};

template <>
struct Shape<Connectivity::c18> {
  static constexpr RowSet rows = rows_of_bundle(Connectivity::c18);
  static constexpr std::array<Side, 4> sides{
      {{-1, 0, 1, 1, true}, {0, -1, 1, 1, true}, {-1, -1, 1, 1, false}, {1, -1, 1, 1, false}}};
};

template <>
struct Shape<Connectivity::c26> {
  static constexpr RowSet rows = rows_of_bundle(Connectivity::c26);
  static constexpr std::array<Side, 4> sides{{{-1, 0, 0b0101, 0b1010, true},
                                              {0, -1, 0b0011, 0b1100, true},
                                              {-1, -1, 0b0001, 0b1000, true},
                                              {1, -1, 0b0010, 0b0100, true}}};
};

}  // namespace gpuccl::cpu
