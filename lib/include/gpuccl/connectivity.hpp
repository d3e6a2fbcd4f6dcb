#pragma once

#include "gpuccl/host_device.hpp"

namespace gpuccl {

/// Neighborhood of an element: 4 share an edge, 8 also a corner (2D); 6 share a face, 18 also an
/// edge, 26 also a corner (3D). A 2D connectivity labels each slice of a volume separately; labels
/// continue from slice to slice.
enum class Connectivity { c4 = 4, c8 = 8, c6 = 6, c18 = 18, c26 = 26 };

inline constexpr Connectivity kConnectivities[] = {Connectivity::c4, Connectivity::c8, Connectivity::c6,
                                                   Connectivity::c18, Connectivity::c26};

GPUCCL_HD constexpr bool is_3d(Connectivity c) {
  return c == Connectivity::c6 || c == Connectivity::c18 || c == Connectivity::c26;
}

/// Returns the number of axes along which two neighbors may differ.
GPUCCL_HD constexpr int reach(Connectivity c) {
  return c == Connectivity::c4 || c == Connectivity::c6 ? 1 : c == Connectivity::c26 ? 3 : 2;
}

/// Returns the connectivity of the background that is complementary to `c`, so that each hole is one
/// component: 4 and 8, 6 and 26; that of 18 is 6 (Kong and Rosenfeld 1989, Digital topology).
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
