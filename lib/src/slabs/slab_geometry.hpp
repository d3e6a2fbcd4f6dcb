#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Returns the slab of an image.
BitView view_of(const Slab& slab, BitView image);

/// Faces of a slab: its first and last slice (or row), where it touches the slabs before and after it.
struct SlabFaces {
  SlabFaces(const Slab& slab, Extent whole, Connectivity connectivity);

  bool of_slices;     // else of single rows
  bool before, next;  // whether there is a slab before it, and after it
  int width;
  std::int64_t rows;  // of a face
  Connectivity connectivity;

  /// Returns the bytes of the elements of a face.
  std::size_t bytes(ValueType type) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * bytes_of(type);
  }
};

}  // namespace gpuccl
