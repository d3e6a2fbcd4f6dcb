#pragma once

#include "cuda/device/image_ref.cuh"
#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"

namespace gpuccl::cuda {

/// The pixel or voxel one thread owns. Warps lie along rows, so that neighbors read neighboring memory.
struct PixelThread {
  int x, y, z;

  using Grid = ThreadGrid<1, 1, 1, 32, 8>;

  __device__ static PixelThread mine(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }
};

/// Whether the element at (x, y, z), which may lie outside, is foreground.
__device__ inline bool is_foreground(ImageRef<const Pixel> image, int x, int y, int z) {
  return image.extent.contains(x, y, z) && load_input(&image(x, y, z)) != 0;
}

}  // namespace gpuccl::cuda
