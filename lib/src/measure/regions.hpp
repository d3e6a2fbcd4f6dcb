#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::measuring {

/// Part of a volume: rows [y0, y1) of slices [z0, z1).
struct Region {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;

  bool holds(const Box& box) const {
    return z0 <= box.min[2] && box.max[2] < z1 && y0 <= box.min[1] && box.max[1] < y1;
  }
};

/// One component with all elements.
Components one_of_all(const Extent& extent);

/// Rows [begin, end) of all rows as regions: the rest of a slice, whole slices, the beginning of one.
std::vector<Region> regions_of(std::int64_t begin, std::int64_t end, const Extent& extent);

/// Divides rows into regions for threads, each of which needs little memory.
std::vector<Region> cut(const Region& all, const Extent& extent);

/// Returns whether memory suffices for the parts of components in several regions, for all threads.
bool parts_fit(const Components& components, const std::vector<Region>& regions, std::size_t bytes_of_part,
               std::int64_t max_bytes);

}  // namespace gpuccl::measuring
