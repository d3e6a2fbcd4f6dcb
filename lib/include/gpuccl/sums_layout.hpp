#pragma once

#include <cstdint>

#include "gpuccl/column.hpp"

namespace gpuccl {

/// Where the sums of one component stand that measures of shape and topology are derived from (measures.hpp),
/// in words of 64 bits; below 0 what is not asked for.
struct SumsLayout {
  int moments = -1;    // of products of coordinates, modulo 2^64: xx, xy, yy, in volumes xz, yz, zz
  int perimeter = -1;  // of images: elements at the edge that a line passes straight, diagonally and bent
  int crofton = -1;    // pairs of neighbors along 4 directions, in volumes 13
  int euler = -1;      // the Euler number
  int words = 0;       // of a component

  friend bool operator==(const SumsLayout&, const SumsLayout&) = default;
};

/// What a labeler has gathered of all components, one after the other.
struct GatheredSums {
  SumsLayout layout;
  Column<std::uint64_t> words;
};

}  // namespace gpuccl
