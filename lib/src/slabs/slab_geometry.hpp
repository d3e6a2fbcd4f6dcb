#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuccl/bit_volume.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/slabs.hpp"
#include "gpuccl/value_type.hpp"

namespace gpuccl {

/// Rows [begin, end) of all rows of a whole.
struct RowRange {
  std::int64_t begin = 0, end = 0;
};
RowRange rows_of(const Slab& slab, Extent whole);

/// The slab of an image.
BitView view_of(const Slab& slab, BitView image);

/// Where a slab touches those before and after it: with its first and its last slice, or row.
struct SlabFaces {
  SlabFaces(const Slab& slab, Extent whole, Connectivity connectivity);

  bool of_slices;     // else of single rows
  bool before, next;  // whether there is something to touch
  int width;
  std::int64_t rows;  // of a face
  Connectivity connectivity;

  /// Of a face's elements.
  std::size_t bytes(ValueType type) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * bytes_of(type);
  }
};

}  // namespace gpuccl
