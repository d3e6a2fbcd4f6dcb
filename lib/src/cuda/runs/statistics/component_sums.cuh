#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile_sums.cuh"
#include "gpuccl/device.hpp"

namespace gpuccl::cuda::runs {

/// Throws Error if 64-bit sums of coordinates could overflow. Images larger than GPU memory are labeled in
/// parts, whose sums are added in 128 bits.
inline void check_sums(const Extent& extent) {
  const auto longest = static_cast<std::uint64_t>(std::max({extent.width, extent.height, extent.depth}));
  if (longest > 0 && static_cast<std::uint64_t>(extent.elements()) > ~std::uint64_t{0} / longest)
    throw Error(ErrorCode::memory, "sums of coordinates of so many pixels are too large for the GPU engine");
}

/// All components on the device; entry i describes label i + 1. An array of structures, because the fields of
/// a component are updated together.
struct ComponentSums {
  DeviceComponent* data;
  std::size_t capacity;

  /// Clears entry i. If `flat`, components lie in one slice each: in slice 0 unless add() specifies another.
  __device__ void clear(std::size_t i, bool flat) const {
    data[i] = {0, {0, 0, 0}, {kFar, kFar, flat ? 0 : kFar}, {-1, -1, flat ? 0 : -1}};
  }

  /// Stores the parts of the lanes that have a label, as the only contributions to their components so far.
  /// Four lanes store one component, so a memory sector is written at once. All lanes call it.
  template <int axes>
  __device__ void store(const TilePart<axes>& part, const TileCorner& corner) const {
    const unsigned lane = threadIdx.x % kWarp, quarter = lane % 4;
    const unsigned given = __ballot_sync(kAllLanes, part.label != 0 && part.label <= capacity);
    const unsigned box = packed_box(part);
#pragma unroll 1
    for (unsigned first = 0; first < kWarp; first += 8) {
      if ((given >> first & 0xff) == 0) continue;
      const int from = static_cast<int>(first + lane / 4);
      const Label label = __shfl_sync(kAllLanes, part.label, from);
      const unsigned area = __shfl_sync(kAllLanes, part.area, from);
      const unsigned of_box = __shfl_sync(kAllLanes, box, from);
      std::uint64_t sum[3];
      int min[3], max[3];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        sum[i] = std::uint64_t{area} * static_cast<unsigned>(corner.at[i]);
        min[i] = max[i] = corner.at[i];
        if (i >= axes) continue;
        sum[i] += __shfl_sync(kAllLanes, part.sum[i], from);
        min[i] += static_cast<int>(of_box >> Box<axes>::at(i) & Box<axes>::mask(i));
        max[i] += static_cast<int>(of_box >> Box<axes>::at(i) >> Box<axes>::bits(i) & Box<axes>::mask(i));
      }
      if ((given >> from & 1) == 0) continue;
      uint4 words = make_uint4(low(area), 0, low(sum[0]), high(sum[0]));
      if (quarter == 1) words = make_uint4(low(sum[1]), high(sum[1]), low(sum[2]), high(sum[2]));
      if (quarter == 2) words = make_uint4(low(min[0]), low(min[1]), low(min[2]), low(max[0]));
      if (quarter == 3) words = make_uint4(low(max[1]), low(max[2]), 0, 0);
      reinterpret_cast<uint4*>(data + label - 1)[quarter] = words;
    }
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
      if (z == 0) return;  // set by clear()
      atomicAdd(&component.sum[2], area * static_cast<unsigned long long>(z));
      if (plain_load(&component.max[2]) != z) {  // all threads write the same values
        plain_store(&component.min[2], z);
        plain_store(&component.max[2], z);
      }
    }
  }

 private:
  /// A bounding box in 32 bits, relative to the corner of a tile: minimum and maximum of each axis.
  template <int axes>
  struct Box {
    __device__ static constexpr int bits(int axis) { return axis == 0 || axes == 2 ? 8 : 4; }
    __device__ static constexpr int at(int axis) { return axis == 0 ? 0 : 8 + 8 * axis; }
    __device__ static constexpr unsigned mask(int axis) { return (1u << bits(axis)) - 1; }
  };
  template <int axes>
  __device__ static unsigned packed_box(const TilePart<axes>& part) {
    unsigned box = 0;
#pragma unroll
    for (int i = 0; i < axes; ++i) {
      const unsigned min = static_cast<unsigned>(part.min[i]) & Box<axes>::mask(i);
      const unsigned max = static_cast<unsigned>(part.max[i]) & Box<axes>::mask(i);
      box |= (min | max << Box<axes>::bits(i)) << Box<axes>::at(i);
    }
    return box;
  }
  template <class T>
  __device__ static unsigned low(T value) {
    return static_cast<unsigned>(value);
  }
  __device__ static unsigned high(std::uint64_t value) { return static_cast<unsigned>(value >> 32); }
};

}  // namespace gpuccl::cuda::runs
