#pragma once

#include <cuda_runtime.h>

#include "cuda/device/thread_grid.cuh"
#include "gpuccl/labels.hpp"

// Sums over the elements of components in a tile. `axes`: 2 if components lie in one slice, which determines
// z; otherwise 3.
namespace gpuccl::cuda {

inline constexpr int kFar = 0x7fffffff;  // greater than any coordinate

struct TileCorner {
  int at[3];  // x, y, z
};

/// Sums of the elements of one component in a tile. Coordinates are relative to the tile's corner, so sums
/// fit into 32 bits.
template <int axes>
struct TilePart {
  Label label = 0;
  unsigned area = 0;
  unsigned sum[axes] = {};  // of coordinates
  int min[axes], max[axes];

  __device__ TilePart() {
#pragma unroll
    for (int i = 0; i < axes; ++i) min[i] = kFar, max[i] = -1;
  }

  __device__ void add(const TilePart& other) {
    area += other.area;
#pragma unroll
    for (int i = 0; i < axes; ++i) {
      sum[i] += other.sum[i];
      min[i] = other.min[i] < min[i] ? other.min[i] : min[i];
      max[i] = other.max[i] > max[i] ? other.max[i] : max[i];
    }
  }

  /// Returns the part of the lane whose index differs by XOR with `distance`.
  __device__ TilePart of_lane_beside(int distance) const {
    TilePart other;
    other.area = __shfl_xor_sync(~0u, area, distance);
#pragma unroll
    for (int i = 0; i < axes; ++i) {
      other.sum[i] = __shfl_xor_sync(~0u, sum[i], distance);
      other.min[i] = __shfl_xor_sync(~0u, min[i], distance);
      other.max[i] = __shfl_xor_sync(~0u, max[i], distance);
    }
    return other;
  }
};

/// Adds up the parts of a warp's lanes: in each step, if two lanes have the same component, the second adds
/// its part to the first and gets label 0.
template <class Part>
__device__ void gather_in_warp(Part& part) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const Label other_label = __shfl_xor_sync(kAllLanes, part.label, distance);
    const bool same = part.label != 0 && other_label == part.label;
    if (__ballot_sync(kAllLanes, same) == 0) continue;
    const Part other = part.of_lane_beside(distance);
    if (same && (lane & distance) == 0) part.add(other);
    if (same && (lane & distance) != 0) part.label = 0;
  }
}

/// Bounding boxes of parts in shared memory, which the threads of a tile extend.
template <int axes, int entries>
struct PartBoxes {
  int min[axes][entries], max[axes][entries];

  __device__ void clear(int i) {
    for (auto& low : min) low[i] = kFar;
    for (auto& high : max) high[i] = -1;
  }
  __device__ void add(unsigned i, const TilePart<axes>& part) {
#pragma unroll
    for (int k = 0; k < axes; ++k) {
      atomicMin(min[k] + i, part.min[k]);
      atomicMax(max[k] + i, part.max[k]);
    }
  }
  __device__ void get(int i, TilePart<axes>& part) const {
#pragma unroll
    for (int k = 0; k < axes; ++k) {
      part.min[k] = min[k][i];
      part.max[k] = max[k][i];
    }
  }
};

/// In volumes, a tile has at most 16 elements along y and z. A bit mask represents the coordinates of a part,
/// so one atomic operation replaces four.
template <int entries>
struct PartBoxes<3, entries> {
  int min[entries], max[entries];  // along x
  unsigned at[entries];            // along y from bit 0, along z from bit 16

  __device__ void clear(int i) {
    min[i] = kFar;
    max[i] = -1;
    at[i] = 0;
  }
  __device__ void add(unsigned i, const TilePart<3>& part) {
    atomicMin(min + i, part.min[0]);
    atomicMax(max + i, part.max[0]);
    atomicOr(at + i, range(part.min[1], part.max[1]) | range(part.min[2], part.max[2]) << 16);
  }
  __device__ void get(int i, TilePart<3>& part) const {
    part.min[0] = min[i];
    part.max[0] = max[i];
#pragma unroll
    for (int k = 1; k < 3; ++k) {
      const unsigned along = at[i] >> 16 * (k - 1) & 0xffff;
      part.min[k] = __ffs(static_cast<int>(along)) - 1;
      part.max[k] = 31 - __clz(static_cast<int>(along));
    }
  }

 private:
  __device__ static unsigned range(int first, int last) { return (2u << last) - (1u << first); }
};

/// Parts of components of one tile in shared memory, to which its threads add.
template <int axes, int entries>
struct PartSums {
  static constexpr int kEntries = entries;

  Label label[kEntries];
  unsigned area[kEntries], sum[axes][kEntries];
  PartBoxes<axes, kEntries> boxes;

  __device__ void clear(int i) {
    label[i] = area[i] = 0;
    for (auto& sums : sum) sums[i] = 0;
    boxes.clear(i);
  }

  /// Adds all of `part`, except its label, to entry i.
  __device__ void add(unsigned i, const TilePart<axes>& part) {
    atomicAdd(area + i, part.area);
#pragma unroll
    for (int k = 0; k < axes; ++k) atomicAdd(sum[k] + i, part.sum[k]);
    boxes.add(i, part);
  }

  __device__ TilePart<axes> part(int i) const {
    TilePart<axes> part;
    part.label = label[i];
    part.area = area[i];
#pragma unroll
    for (int k = 0; k < axes; ++k) part.sum[k] = sum[k][i];
    boxes.get(i, part);
    return part;
  }
};

/// Parts as a hash table by label, with at most `probes` probes.
template <class Sums, int probes>
struct PartTable : Sums {
  /// Returns false if there is no free entry.
  template <class Part>
  __device__ bool add(const Part& part) {
    unsigned i = part.label * 2654435761u % Sums::kEntries;
    for (int probe = 0; probe < probes; ++probe, i = (i + 1) % Sums::kEntries) {
      const Label present = atomicCAS(Sums::label + i, 0u, part.label);
      if (present != 0 && present != part.label) continue;
      Sums::add(i, part);
      return true;
    }
    return false;
  }
};

}  // namespace gpuccl::cuda
