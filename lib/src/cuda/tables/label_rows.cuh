#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/image_ref.cuh"
#include "gpuccl/device.hpp"

namespace gpuccl::cuda::tables {

/// Rows of an image on a device, with pitches in elements.
template <class T>
struct Rows {
  const T* data;
  std::int64_t row, slice;

  explicit Rows(const DeviceValueImage& image)
      : data(static_cast<const T*>(image.data)),
        row(image.row_pitch / static_cast<std::int64_t>(sizeof(T))),
        slice(image.slice_pitch / static_cast<std::int64_t>(sizeof(T))) {}
  __device__ const T* at(int x, int y, int z) const { return data + z * slice + y * row + x; }
};
/// No image.
template <>
struct Rows<void> {
  explicit Rows(const DeviceValueImage&) {}
};

/// Returns 0 for labels that count as background.
template <class Id>
__device__ Label label_in(Id id, std::uint32_t largest) {
  return id <= largest ? static_cast<Label>(id) : 0;
}

/// Calls visit() with an unsigned integer of the size of labels. Negative labels are above all others.
template <class Visit>
void with_id(ValueType type, const Visit& visit) {
  with_size(type, [&]<class Id>(Id id) {
    if constexpr (sizeof(Id) > 1) visit(id);
  });
}

}  // namespace gpuccl::cuda::tables
