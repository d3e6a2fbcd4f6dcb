#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// LabelSource::prepare for rows of a whole. `labels` are those of its rows `own`, or null if there are none;
/// other rows need nothing.
inline std::int64_t prepare_own(const LabelSource* labels, const RowRange& own, std::int64_t all_rows,
                                std::int64_t first_row, std::int64_t rows) {
  if (labels == nullptr || first_row >= own.end) return all_rows;
  if (first_row + rows <= own.begin) return own.begin;
  const std::int64_t first = std::max(first_row, own.begin) - own.begin;
  const std::int64_t end = std::min(first_row + rows, own.end) - own.begin;
  const std::int64_t ready = own.begin + labels->prepare(first, end - first);
  return ready < own.end ? ready : all_rows;
}

/// The slab of an image.
BitView view_of(const Slab& slab, BitView image);

/// Faces of a slab, at which it touches the ones before and after it: its first and last slice, or row.
struct SlabFaces {
  SlabFaces(const Slab& slab, Extent whole, Connectivity connectivity);

  bool of_slices;     // else of single rows
  bool before, next;  // whether there is something to touch
  int width;
  std::int64_t rows;  // of a face
  Connectivity connectivity;

  /// Returns the bytes of the elements of a face.
  std::size_t bytes(ValueType type) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * bytes_of(type);
  }
};

}  // namespace gpuccl
