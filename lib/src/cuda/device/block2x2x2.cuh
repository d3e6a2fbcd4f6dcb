#pragma once

#include <cstdint>

#include "common/neighborhood.hpp"
#include "cuda/device/block2x2.cuh"

namespace gpuccl::cuda {

/// Voxels of the 4x4x4 window around a 2x2x2 block, one bit each; (0, 0, 0) is the block's first voxel.
using Window3d = std::uint64_t;

GPUCCL_HD constexpr Window3d voxel(int dx, int dy, int dz) {
  return std::uint64_t{1} << (16 * (dz + 1) + 4 * (dy + 1) + (dx + 1));
}

/// The 3x3x3 neighborhood of the block's voxel (dx, dy, dz).
GPUCCL_HD constexpr Window3d reach_of(int dx, int dy, int dz) {
  return std::uint64_t{0x077707770777} << (16 * dz + 4 * dy + dx);
}

/// The voxels of the block (bx, by, bz) blocks away that lie in the window.
GPUCCL_HD constexpr Window3d voxels_of_block(int bx, int by, int bz) {
  Window3d voxels = 0;
  for (int dz = bz < 0 ? -1 : 2 * bz; dz <= (bz < 0 ? -1 : bz > 0 ? 2 : 1); ++dz)
    for (int dy = by < 0 ? -1 : 2 * by; dy <= (by < 0 ? -1 : by > 0 ? 2 : 1); ++dy)
      for (int dx = bx < 0 ? -1 : 2 * bx; dx <= (bx < 0 ? -1 : bx > 0 ? 2 : 1); ++dx)
        voxels |= voxel(dx, dy, dz);
  return voxels;
}

/// The 2x2x2 block one thread owns, named by its first voxel. Its voxels as the low bits of a number
/// (BlockPixels): the front slice as in 2D, the back slice four bits up.
struct Block2x2x2 {
  int x, y, z;

  using Grid = ThreadGrid<2, 2, 2, 32, 4>;
  static constexpr int kDepth = 2;

  __device__ static Block2x2x2 mine(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ static Block2x2x2 of_pixel(int x, int y, int z) { return {x & ~1, y & ~1, z & ~1}; }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }

  template <class T>
  __device__ Index node(ImageRef<T> image, int dx = 0, int dy = 0, int dz = 0) const {
    return image.index(x + 2 * dx, y + 2 * dy, z + 2 * dz);
  }
};

/// The voxels of a window that touch one of `voxels`, and these themselves.
GPUCCL_HD constexpr Window3d dilated(Window3d voxels) {
  constexpr Window3d kFirstColumn = 0x1111111111111111, kFirstRow = 0x000f000f000f000f;
  voxels |= (voxels << 1 & ~kFirstColumn) | (voxels >> 1 & ~(kFirstColumn << 3));
  voxels |= (voxels << 4 & ~kFirstRow) | (voxels >> 4 & ~(kFirstRow << 12));
  return voxels | voxels << 16 | voxels >> 16;
}

/// `touching` without the voxels of those blocks that need no union with X, because they touch another one
/// that has it, the one in the middle of the neighbors: the later of the two unites them. Beyond the papers;
/// in solid parts of a volume it leaves one union of thirteen. Where few voxels touch it would cost more than
/// it saves.
__device__ inline Window3d without_implied(Window3d touching) {
  constexpr int kWorthwhile = 7;
  if (__popcll(touching) < kWorthwhile) return touching;
  Window3d middle = touching & voxels_of_block(0, 0, -1);
  if (middle == 0) middle = touching & voxels_of_block(0, -1, 0);
  if (middle == 0) middle = touching & voxels_of_block(-1, 0, 0);
  const Window3d implied = touching & dilated(middle) & ~middle;
  Window3d left = touching;
  for_each_preceding<Connectivity::c26>([&](int dx, int dy, int dz) {
    if ((implied & voxels_of_block(dx, dy, dz)) != 0) left &= ~voxels_of_block(dx, dy, dz);
  });
  return left;
}

}  // namespace gpuccl::cuda
