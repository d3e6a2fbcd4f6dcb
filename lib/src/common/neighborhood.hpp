#pragma once

#include "gpuccl/types.hpp"

namespace gpuccl {

/// Visits the neighbors that come before an element in raster order; the others find it from their side.
template <Connectivity connectivity, class Visit>
GPUCCL_HD void for_each_preceding(Visit visit) {
  for (int dz = is_3d(connectivity) ? -1 : 0; dz <= 0; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const bool precedes = dz < 0 || (dz == 0 && (dy < 0 || (dy == 0 && dx < 0)));
        if (precedes && dx * dx + dy * dy + dz * dz <= reach(connectivity)) visit(dx, dy, dz);
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
