#pragma once

#include "common/shape.hpp"
#include "common/union_find.hpp"
#include "cuda/device/image_ref.cuh"
#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"

namespace gpuccl::cuda {

/// The pixel or voxel that a thread owns. Warps lie along rows, so adjacent lanes access adjacent memory.
struct PixelThread {
  int x, y, z;

  using Grid = ThreadGrid<1, 1, 1, 32, 8>;

  __device__ static PixelThread of_this_thread(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }
};

/// Returns true if the element at (x, y, z) is foreground. The coordinates may lie outside of the image.
__device__ inline bool is_foreground(ImageRef<const Pixel> image, int x, int y, int z) {
  return image.extent.contains(x, y, z) && load_input(&image(x, y, z)) != 0;
}

/// The links of all pixels in the label image, where 0 is background.
using PixelForest = UnionFind<OneBased, SharedByThreads>;

/// Returns the minimum of the labels of foreground element `at`, which is `own`, and of its foreground
/// neighbors.
template <Connectivity connectivity>
__device__ Label least_label_around(ImageRef<Label> labels, PixelThread at, Label own) {
  Label least = own;
  for_each_neighbor<connectivity>([&](int dx, int dy, int dz) {
    const int x = at.x + dx, y = at.y + dy, z = at.z + dz;
    if (labels.extent.contains(x, y, z)) least = min_positive(least, SharedByThreads::load(&labels(x, y, z)));
  });
  return least;
}

/// Returns the label of element `at`, or 0, as for background, if it lies outside of the image.
__device__ inline Label label_at(ImageRef<Label> labels, PixelThread at) {
  return at.inside(labels.extent) ? SharedByThreads::load(&labels(at.x, at.y, at.z)) : 0;
}

}  // namespace gpuccl::cuda
