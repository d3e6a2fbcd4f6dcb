#pragma once

#include "gpuccl/host_device.hpp"

namespace gpuccl {

/// Which elements touch: those that share an edge (4, 6), an edge or a corner (8, 18), a vertex (26).
/// A 2D connectivity on a volume labels every slice on its own; the numbering goes on from slice to slice.
enum class Connectivity { c4 = 4, c8 = 8, c6 = 6, c18 = 18, c26 = 26 };

inline constexpr Connectivity kConnectivities[] = {Connectivity::c4, Connectivity::c8, Connectivity::c6,
                                                   Connectivity::c18, Connectivity::c26};

GPUCCL_HD constexpr bool is_3d(Connectivity c) {
  return c == Connectivity::c6 || c == Connectivity::c18 || c == Connectivity::c26;
}

/// How many axes two neighbors may differ on.
GPUCCL_HD constexpr int reach(Connectivity c) {
  return c == Connectivity::c4 || c == Connectivity::c6 ? 1 : c == Connectivity::c26 ? 3 : 2;
}

/// How the background is connected where the foreground is by `c`, so that what surrounds a hole is one
/// component: 4 and 8, 6 and 26 are each other's, that of 18 is 6 (Kong and Rosenfeld 1989, Digital
/// topology).
constexpr Connectivity complementary(Connectivity c) {
  switch (c) {
    case Connectivity::c4:
      return Connectivity::c8;
    case Connectivity::c8:
      return Connectivity::c4;
    case Connectivity::c6:
      return Connectivity::c26;
    default:
      return Connectivity::c6;
  }
}

}  // namespace gpuccl
