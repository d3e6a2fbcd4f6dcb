#pragma once

#include <cstdint>

#include "common/union_find.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

using Pixel = std::uint8_t;  // 0 is background, 1 is foreground, and nothing else comes up

/// A view of an image or volume on the device. Owns nothing; kernels take it by value. Pitches count
/// elements.
///
/// All views of one image, of its bits too, have the same pitch, a multiple of 64: an element has one index
/// everywhere, rows are aligned for vector accesses, and a row may be read or written to the end of its
/// padding. The padding of the input is background.
template <class T>
struct ImageRef {
  T* data = nullptr;
  Extent extent;
  Index pitch = 0;        // from a row to the next
  Index slice_pitch = 0;  // from a slice to the next

  GPUCCL_HD Index index(int x, int y, int z) const {
    return static_cast<Index>(z) * slice_pitch + static_cast<Index>(y) * pitch + static_cast<Index>(x);
  }
  GPUCCL_HD T& operator()(int x, int y, int z) const { return data[index(x, y, z)]; }
};

}  // namespace gpuccl::cuda
