#include "slabs/slab_geometry.hpp"

namespace gpuccl {

RowRange rows_of(const Slab& slab, Extent whole) {
  return {static_cast<std::int64_t>(slab.z0) * whole.height + slab.y0,
          (static_cast<std::int64_t>(slab.z1) - 1) * whole.height + slab.y1};
}

std::vector<RowRange> rows_of_parts(Extent whole, int parts) {
  std::vector<RowRange> rows;
  for (const Slab& slab : cut_into_parts(whole, parts)) rows.push_back(rows_of(slab, whole));
  return rows;
}

BitView view_of(const Slab& slab, BitView image) {
  return {image.row(rows_of(slab, image.extent).begin), extent_of(slab, image.extent), image.row_pitch};
}

SlabFaces::SlabFaces(const Slab& slab, Extent whole, Connectivity by)
    : of_slices(slab.y1 - slab.y0 == whole.height),
      width(whole.width),
      rows(of_slices ? whole.height : 1),
      connectivity(by) {
  const RowRange range = rows_of(slab, whole);
  const bool touches = range.begin < range.end && (!of_slices || is_3d(by));
  before = touches && (of_slices ? slab.z0 : slab.y0) > 0;
  next = touches && (of_slices ? slab.z1 < whole.depth : slab.y1 < whole.height);
}

}  // namespace gpuccl
