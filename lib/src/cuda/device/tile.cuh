#pragma once

#include "cuda/device/pixel_forest.cuh"

namespace gpuccl::cuda {

/// The part of an image that one thread block labels in shared memory, one thread per pixel.
template <int w, int h>
struct PixelTile {
  static constexpr int kWidth = w, kHeight = h, kPixels = w * h;

  using Grid = ThreadGrid<1, 1, 1, w, h>;

  __device__ static PixelThread mine(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }

  /// Returns the index in the tile of this thread's pixel, or of the pixel at offset (dx, dy).
  __device__ static Index index(int dx = 0, int dy = 0) {
    return static_cast<Index>((static_cast<int>(threadIdx.y) + dy) * w + static_cast<int>(threadIdx.x) + dx);
  }
  /// Returns true if the pixel at offset (dx, dy) lies in the same tile.
  __device__ static bool holds(int dx, int dy) {
    const int x = static_cast<int>(threadIdx.x) + dx, y = static_cast<int>(threadIdx.y) + dy;
    return 0 <= x && x < w && 0 <= y && y < h;
  }
  /// Returns the index in the image of the tile's pixel `in_tile`. `mine`: this thread's pixel.
  __device__ static Index in_image(ImageRef<Label> labels, PixelThread mine, Index in_tile) {
    return labels.index(mine.x - static_cast<int>(threadIdx.x) + static_cast<int>(in_tile % w),
                        mine.y - static_cast<int>(threadIdx.y) + static_cast<int>(in_tile / w), mine.z);
  }
};

}  // namespace gpuccl::cuda
