#pragma once

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

/// The pixels of a block as the low bits of a number: a 1, b 2, c 4, d 8.
using BlockPixels = unsigned;

/// The 2x2 block one thread owns, named by its top-left pixel.
struct Block2x2 {
  int x, y, z;

  using Grid = ThreadGrid<2, 2, 1, 16, 8>;  // compact, so that walks stay in the cache
  static constexpr int kDepth = 1;

  __device__ static Block2x2 mine(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ static Block2x2 of_pixel(int x, int y, int z) { return {x & ~1, y & ~1, z}; }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }

  /// The node of this block, which is the index of its top-left pixel, and of its neighbors.
  template <class T>
  __device__ Index node(ImageRef<T> image, int dx = 0, int dy = 0) const {
    return image.index(x + 2 * dx, y + 2 * dy, z);
  }
};

GPUCCL_HD constexpr Window in_window(BlockPixels pixels) { return (pixels & 3u) << 5 | (pixels & 12u) << 7; }
GPUCCL_HD constexpr BlockPixels of_block(Window window) { return (window >> 5 & 3u) | (window >> 7 & 12u); }

}  // namespace gpuccl::cuda
