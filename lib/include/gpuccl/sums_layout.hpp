#pragma once

#include <cstdint>

#include "gpuccl/column.hpp"

namespace gpuccl {

/// Offsets in 64-bit words of the sums of one component, from which measures of shape and topology are
/// derived (measures.hpp); negative if not requested.
struct SumsLayout {
  int moments = -1;    // of products of coordinates, modulo 2^64: xx, xy, yy, in volumes xz, yz, zz
  int perimeter = -1;  // 2D: boundary elements that the contour passes straight, diagonally and bent
  int crofton = -1;    // pairs of neighbors along 4 directions, in volumes 13
  int euler = -1;      // the Euler number
  int words = 0;       // of a component

  friend bool operator==(const SumsLayout&, const SumsLayout&) = default;
};

/// Sums of all components, one after the other.
struct GatheredSums {
  SumsLayout layout;
  Column<std::uint64_t> words;
};

}  // namespace gpuccl
