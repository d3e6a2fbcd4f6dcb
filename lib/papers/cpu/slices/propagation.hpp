#pragma once

#include <cstdint>
#include <vector>

#include "common/shape.hpp"
#include "common/union_find.hpp"
#include "papers/cpu/slices/slice_labeler.hpp"

// Shared code of the iterative algorithms.
namespace gpuccl::cpu {

/// Labels with a frame like that of the image, so a pixel and its label have the same index.
using FramedLabels = std::vector<Label>;

/// Assigns to each foreground pixel a label of its own, in raster order.
inline void unique_labels(const Slice& slice, FramedLabels& labels) {
  labels.assign(slice.size(), 0);
  for (int y = 0; y < slice.height; ++y)
    for (Index i = slice.index(0, y); i < slice.index(slice.width, y); ++i)
      labels[i] = slice.image[i] != 0 ? i : 0;
}

/// Returns the difference between the indices, and also the initial labels, of a neighbor and a pixel.
inline std::int64_t offset(const Slice& slice, int dx, int dy) {
  return static_cast<std::int64_t>(dy) * slice.pitch() + dx;
}

/// Numbers the components of a slice from `count` + 1, given labels that are the index of a component's first
/// pixel. Returns the last number.
inline Label renumber(const Slice& slice, FramedLabels& labels, Label count) {
  for (int y = 0; y < slice.height; ++y) {
    Label* out = slice.labels_of(y);
    for (Index i = slice.index(0, y); i < slice.index(slice.width, y); ++i) {
      if (labels[i] == i) {
        *out++ = labels[i] = count = next_number(count);  // kept for the following pixels
      } else {
        *out++ = labels[labels[i]];
      }
    }
  }
  return count;
}

}  // namespace gpuccl::cpu
