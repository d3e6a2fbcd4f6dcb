#include "io/parts/stretch.hpp"

#include "gpuccl/parts.hpp"

namespace gpuccl::io {
namespace {

/// The first strip that begins at this row or after it.
std::int64_t strip_from(const StripLayout& layout, std::int64_t row) {
  const std::int64_t height = layout.extent.height, slice = row / height;
  if (slice % layout.slices_per_strip > 0)
    return (slice / layout.slices_per_strip + 1) * layout.strips_per_slice;
  return slice / layout.slices_per_strip * layout.strips_per_slice +
         (row % height + layout.rows_per_strip - 1) / layout.rows_per_strip;
}

}  // namespace

std::vector<Rows> rows_of_parts(const Extent& whole, int parts) {
  std::vector<Rows> rows;
  for (const Slab& slab : cut_into_parts(whole, parts))
    rows.push_back({std::int64_t{slab.z0} * whole.height + slab.y0,
                    (std::int64_t{slab.z1} - 1) * whole.height + slab.y1});
  return rows;
}

OwnStrips::OwnStrips(const StripLayout& layout, const Rows& own)
    : strips{strip_from(layout, own.begin), strip_from(layout, own.end)} {
  if (strips.begin >= strips.end) return;
  const std::int64_t last = strips.end - 1;
  rows = {layout.first_row(strips.begin), layout.first_row(last) + layout.rows(last)};
}

}  // namespace gpuccl::io
