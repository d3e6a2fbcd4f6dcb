#pragma once

#include <cstdint>

#include "common/union_find.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

using Pixel = std::uint8_t;  // 0 is background, 1 is foreground; no other values

/// A view of an image or volume on the device. Does not own memory; kernels take it by value. Pitches count
/// elements.
///
/// All views of an image, including its bits, have the same pitch, a multiple of 64. So an element has one
/// index in all views, rows are aligned for vector accesses, and a row may be read or written up to the end
/// of its padding. The padding of the input is background.
template <class T>
struct ImageRef {
  T* data = nullptr;
  Extent extent;
  Index pitch = 0;        // between rows
  Index slice_pitch = 0;  // between slices

  GPUCCL_HD Index index(int x, int y, int z) const {
    return static_cast<Index>(z) * slice_pitch + static_cast<Index>(y) * pitch + static_cast<Index>(x);
  }
  GPUCCL_HD T& operator()(int x, int y, int z) const { return data[index(x, y, z)]; }
};

/// Calls visit() with an unsigned integer of the size of a type's values.
template <class Visit>
void with_size(ValueType type, const Visit& visit) {
  switch (bytes_of(type)) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

}  // namespace gpuccl::cuda
