#pragma once

#include <cstddef>

#include "cuda/device/memory.cuh"
#include "cuda/device/tile_sums.cuh"
#include "gpuccl/device_labeling.hpp"

namespace gpuccl::cuda::runs {

/// All components, on the device; entry i describes label i + 1. The fields of one lie together, because they
/// are added to together.
struct ComponentSums {
  DeviceComponent* data;
  std::size_t capacity;

  /// Where `flat`, components lie in one slice each, in slice 0 unless add() says otherwise.
  __device__ void clear(std::size_t i, bool flat) const {
    data[i] = {0, {0, 0, 0}, {kFar, kFar, flat ? 0 : kFar}, {-1, -1, flat ? 0 : -1}};
  }

  template <int axes>
  __device__ void add(const TilePart<axes>& part, const TileCorner& corner) const {
    if (part.label > capacity) return;
    DeviceComponent& component = data[part.label - 1];
    const unsigned long long area = part.area;
    atomicAdd(&component.area, area);
#pragma unroll
    for (int i = 0; i < axes; ++i) {
      const auto from = static_cast<unsigned long long>(corner.at[i]);
      atomicAdd(&component.sum[i], part.sum[i] + area * from);
      atomicMin(&component.min[i], corner.at[i] + part.min[i]);
      atomicMax(&component.max[i], corner.at[i] + part.max[i]);
    }
    if constexpr (axes == 2) {
      const int z = corner.at[2];
      if (z == 0) return;  // as clear() says
      atomicAdd(&component.sum[2], area * static_cast<unsigned long long>(z));
      if (plain_load(&component.max[2]) != z) {  // all that write it write the same
        plain_store(&component.min[2], z);
        plain_store(&component.max[2], z);
      }
    }
  }
};

}  // namespace gpuccl::cuda::runs
