#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpuccl/labels.hpp"

namespace gpuccl::cuda::runs {

inline constexpr int kFar = 0x7fffffff;  // beyond every coordinate

struct TileCorner {
  int x, y, z;
};

/// Elements of one component in a tile; coordinates count from the tile's corner, so that sums fit 32 bits.
struct TilePart {
  Label label = 0;
  unsigned sum[4] = {0, 0, 0, 0};  // area, and the coordinates x, y, z
  int min[3] = {kFar, kFar, kFar};
  int max[3] = {-1, -1, -1};

  __device__ void add(const unsigned (&sums)[4], const int (&low)[3], const int (&high)[3]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += sums[i];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      min[i] = low[i] < min[i] ? low[i] : min[i];
      max[i] = high[i] > max[i] ? high[i] : max[i];
    }
  }
};

/// All components, on the device: arrays of `count` values one after the other; entry i describes label i
/// + 1.
struct ComponentSums {
  unsigned long long* sum;  // area, x, y, z
  int* min;                 // x, y, z
  int* max;
  std::size_t count;

  __device__ void clear(std::size_t i) const {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum[k * count + i] = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      min[k * count + i] = kFar;
      max[k * count + i] = -1;
    }
  }

  __device__ void add(const TilePart& part, const TileCorner& corner) const {
    const std::size_t i = part.label - 1;
    const int from[3] = {corner.x, corner.y, corner.z};
    const unsigned long long area = part.sum[0];
    atomicAdd(sum + i, area);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      atomicAdd(sum + (k + 1) * count + i, part.sum[k + 1] + area * static_cast<unsigned long long>(from[k]));
      atomicMin(min + k * count + i, from[k] + part.min[k]);
      atomicMax(max + k * count + i, from[k] + part.max[k]);
    }
  }
};

/// Parts of the components of one tile, in shared memory, found by label.
struct PartTable {
  static constexpr int kEntries = 128;
  static constexpr int kProbes = 8;

  Label label[kEntries];
  unsigned sum[4][kEntries];
  int min[3][kEntries], max[3][kEntries];

  __device__ void clear(int i) {
    label[i] = 0;
    for (auto& sums : sum) sums[i] = 0;
    for (auto& low : min) low[i] = kFar;
    for (auto& high : max) high[i] = -1;
  }

  /// False if there is no room.
  __device__ bool add(const TilePart& part) {
    unsigned i = part.label * 2654435761u % kEntries;
    for (int probe = 0; probe < kProbes; ++probe, i = (i + 1) % kEntries) {
      const Label there = atomicCAS(label + i, 0u, part.label);
      if (there != 0 && there != part.label) continue;
#pragma unroll
      for (int k = 0; k < 4; ++k) atomicAdd(sum[k] + i, part.sum[k]);
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        atomicMin(min[k] + i, part.min[k]);
        atomicMax(max[k] + i, part.max[k]);
      }
      return true;
    }
    return false;
  }

  __device__ TilePart part(int i) const {
    TilePart part;
    part.label = label[i];
    part.add({sum[0][i], sum[1][i], sum[2][i], sum[3][i]}, {min[0][i], min[1][i], min[2][i]},
             {max[0][i], max[1][i], max[2][i]});
    return part;
  }
};

}  // namespace gpuccl::cuda::runs
