#pragma once

#include <cstdint>

#include "cuda/device/memory.cuh"
#include "papers/cuda/device/block2x2.cuh"

// Loads of the pixels that blocks read.
namespace gpuccl::cuda {

/// Returns two adjacent pixels, the first at an even index, as two bits.
__device__ inline unsigned load_pair(const Pixel* pixels) {
  const unsigned pair = load_input(reinterpret_cast<const unsigned short*>(pixels));
  return (pair | pair >> 7) & 3u;
}

__device__ inline BlockPixels load_pixels(ImageRef<const Pixel> image, Block2x2 X) {
  const Pixel* const a = image.data + X.node(image);
  const BlockPixels below = X.y + 1 < image.extent.height ? load_pair(a + image.pitch) : 0;
  return load_pair(a) | below << 2;
}

/// Returns the foreground pixels of block X, and those of P, Q, R and S that touch one of them.
__device__ inline Window touching_pixels(ImageRef<const Pixel> image, Block2x2 X) {
  const Window own = in_window(load_pixels(image, X));
  Window reach = 0;
  if (own & kA) reach |= kReachOfA;
  if (own & kB) reach |= kReachOfB;
  if (own & kC) reach |= kReachOfC;

  const Pixel* const a = image.data + X.node(image);
  const bool left = X.x > 0;
  Window around = 0;
  if (left && reach & pixel(-1, 0)) around |= load_input(a - 1) * pixel(-1, 0);
  if (left && own & (kA | kC) && X.y + 1 < image.extent.height)
    around |= load_input(a + image.pitch - 1) * pixel(-1, 1);
  if (X.y > 0 && own & (kA | kB)) {
    const Pixel* const above = a - image.pitch;
    around |= load_pair(above) * pixel(0, -1);
    if (left) around |= load_input(above - 1) * pixel(-1, -1);
    if (X.x < image.extent.width - 2) around |= load_input(above + 2) * pixel(2, -1);
  }
  return own | (around & reach);
}

__device__ inline BlockPixels load_pixels(ImageRef<const Pixel> image, Block2x2x2 X) {
  const BlockPixels front = load_pixels(image, Block2x2{X.x, X.y, X.z});
  const BlockPixels back = X.z + 1 < image.extent.depth ? load_pixels(image, Block2x2{X.x, X.y, X.z + 1}) : 0;
  return front | back << 4;
}

/// Returns the foreground voxels of preceding blocks that touch a foreground voxel of block X. `own`: the
/// voxels of X.
__device__ inline Window3d touching_voxels(ImageRef<const Pixel> image, Block2x2x2 X, BlockPixels own) {
  Window3d reach = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (own >> i & 1u) reach |= reach_of(i & 1, i >> 1 & 1, i >> 2);

  const Extent extent = image.extent;
  const Pixel* const first = image.data + X.node(image);
  const bool has_left = X.x > 0, has_right = X.x < extent.width - 2;
  Window3d around = 0;
  // Rows of preceding blocks: four in the slice before; in the block's own slices, the row above and, to the
  // left of the block, its own two. All loads are issued together, even if they turn out to be out of reach:
  // ten dependent waits cost more than the loads.
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= (dz < 0 ? 2 : 1); ++dy) {
      const int y = X.y + dy, z = X.z + dz;
      const bool inside = y >= 0 && y < extent.height && z >= 0 && z < extent.depth;
      const Pixel* const row = inside ? first + static_cast<std::int64_t>(dz) * image.slice_pitch +
                                            static_cast<std::int64_t>(dy) * image.pitch
                                      : first;
      unsigned found = has_left ? load_input(row - 1) : 0u;
      if (dz < 0 || dy < 0) {
        found |= load_pair(row) << 1;
        found |= (has_right ? load_input(row + 2) : 0u) << 3;
      }
      around |= static_cast<Window3d>(inside ? found : 0u) << (16 * (dz + 1) + 4 * (dy + 1));
    }
  return around & reach;
}

}  // namespace gpuccl::cuda
