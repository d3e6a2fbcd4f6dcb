#pragma once

#include <cstdint>
#include <utility>

#include "cuda/device/image_ref.cuh"
#include "cuda/device/thread_grid.cuh"

namespace gpuccl::cuda {

/// Pixels of the 4x4 window around a 2x2 block, one bit each; (0, 0) is the block's top-left pixel.
using Window = unsigned;

GPUCCL_HD constexpr Window pixel(int dx, int dy) { return 1u << (4 * (dy + 1) + (dx + 1)); }

inline constexpr Window kA = pixel(0, 0), kB = pixel(1, 0), kC = pixel(0, 1), kD = pixel(1, 1);

inline constexpr Window kReachOfA = 0x777;           // the 3x3 neighborhood of pixel a
inline constexpr Window kReachOfB = kReachOfA << 1;  // one column right
inline constexpr Window kReachOfC = kReachOfA << 4;  // one row down

inline constexpr Window kP = pixel(-1, -1);
inline constexpr Window kQ = pixel(0, -1) | pixel(1, -1);
inline constexpr Window kR = pixel(2, -1);
inline constexpr Window kS = pixel(-1, 0) | pixel(-1, 1);

/// The pixels of a block as the low bits of an integer: a is bit 0, b 1, c 2 and d 3.
using BlockPixels = unsigned;

/// A 2x2 block, owned by one thread and identified by its top-left pixel.
struct Block2x2 {
  int x, y, z;

  using Grid = ThreadGrid<2, 2, 1, 16, 8>;  // compact, so find paths stay in the cache
  static constexpr int kDepth = 1;

  __device__ static Block2x2 of_this_thread(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ static Block2x2 of_pixel(int x, int y, int z) { return {x & ~1, y & ~1, z}; }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }

  /// Returns the node of this block, or of a neighboring one: the index of its top-left pixel.
  template <class T>
  __device__ Index node(ImageRef<T> image, int dx = 0, int dy = 0) const {
    return image.index(x + 2 * dx, y + 2 * dy, z);
  }
};

GPUCCL_HD constexpr Window in_window(BlockPixels pixels) { return (pixels & 3u) << 5 | (pixels & 12u) << 7; }
GPUCCL_HD constexpr BlockPixels of_block(Window window) { return (window >> 5 & 3u) | (window >> 7 & 12u); }

/// Voxels of the 4x4x4 window around a 2x2x2 block, one bit each; (0, 0, 0) is the block's first voxel.
using Window3d = std::uint64_t;

GPUCCL_HD constexpr Window3d voxel(int dx, int dy, int dz) {
  return std::uint64_t{1} << (16 * (dz + 1) + 4 * (dy + 1) + (dx + 1));
}

/// Returns the 3x3x3 neighborhood of the block's voxel (dx, dy, dz).
GPUCCL_HD constexpr Window3d reach_of(int dx, int dy, int dz) {
  return std::uint64_t{0x077707770777} << (16 * dz + 4 * dy + dx);
}

/// Returns the voxels of the window that belong to the block with offset (bx, by, bz).
GPUCCL_HD constexpr Window3d voxels_of_block(int bx, int by, int bz) {
  Window3d voxels = 0;
  for (int dz = bz < 0 ? -1 : 2 * bz; dz <= (bz < 0 ? -1 : bz > 0 ? 2 : 1); ++dz)
    for (int dy = by < 0 ? -1 : 2 * by; dy <= (by < 0 ? -1 : by > 0 ? 2 : 1); ++dy)
      for (int dx = bx < 0 ? -1 : 2 * bx; dx <= (bx < 0 ? -1 : bx > 0 ? 2 : 1); ++dx)
        voxels |= voxel(dx, dy, dz);
  return voxels;
}

/// Returns the offset of neighboring block `number` along an axis, 0 for x. The blocks around a block are
/// numbered in raster order; the block itself is number 13.
GPUCCL_HD constexpr int offset_of_block(int number, int axis) {
  return (axis == 0 ? number : axis == 1 ? number / 3 : number / 9) % 3 - 1;
}
inline constexpr int kPrecedingBlocks = 13;

template <int number>
inline constexpr Window3d kVoxelsOfBlock = voxels_of_block(offset_of_block(number, 0),
                                                           offset_of_block(number, 1),
                                                           offset_of_block(number, 2));

template <int first, int... i>
__device__ unsigned blocks_of(Window3d voxels, std::integer_sequence<int, i...>) {
  return (((voxels & kVoxelsOfBlock<first + i>) != 0 ? 1u << i : 0u) | ...);
}
/// Returns a mask of the blocks `first` to `first` + `count` - 1 that contain any of `voxels`.
template <int first, int count>
__device__ unsigned blocks_of(Window3d voxels) {
  return blocks_of<first>(voxels, std::make_integer_sequence<int, count>());
}

/// A 2x2x2 block, owned by one thread and identified by its first voxel. BlockPixels has the front slice as
/// in 2D, and the back slice four bits up.
struct Block2x2x2 {
  int x, y, z;

  using Grid = ThreadGrid<2, 2, 2, 32, 4>;
  static constexpr int kDepth = 2;

  __device__ static Block2x2x2 of_this_thread(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ static Block2x2x2 of_pixel(int x, int y, int z) { return {x & ~1, y & ~1, z & ~1}; }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }

  template <class T>
  __device__ Index node(ImageRef<T> image, int dx = 0, int dy = 0, int dz = 0) const {
    return image.index(x + 2 * dx, y + 2 * dy, z + 2 * dz);
  }
  /// Returns the node of the neighboring block `number`.
  template <class T>
  __device__ Index node_around(ImageRef<T> image, int number) const {
    return node(image, offset_of_block(number, 0), offset_of_block(number, 1), offset_of_block(number, 2));
  }
};

}  // namespace gpuccl::cuda
