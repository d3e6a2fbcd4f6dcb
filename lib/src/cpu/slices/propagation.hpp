#pragma once

#include <cstdint>

#include "common/min_positive.hpp"
#include "common/neighborhood.hpp"
#include "cpu/slices/slice_labeler.hpp"

// What the iterative algorithms have in common.
namespace gpuccl::cpu {

/// Each foreground pixel gets a label of its own, smaller than those of all pixels after it.
inline void unique_labels(const Slice& slice) {
  for (int y = 0; y < slice.height; ++y)
    for (Index i = slice.index(0, y); i < slice.index(slice.width, y); ++i)
      slice.labels[i] = slice.image[i] != 0 ? i : 0;
}

/// How far index and label of a neighbor are away.
inline std::int64_t offset(const Slice& slice, int dx, int dy) {
  return static_cast<std::int64_t>(dy) * slice.pitch() + dx;
}

}  // namespace gpuccl::cpu
