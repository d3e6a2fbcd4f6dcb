#pragma once

#include "common/shape.hpp"
#include "common/union_find.hpp"
#include "cuda/device/image_ref.cuh"
#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"

namespace gpuccl::cuda {

/// Four adjacent pixels that one thread owns, for phases that do little work per pixel. Some may be padding.
struct PixelQuad {
  int x, y, z;

  using Grid = ThreadGrid<4, 1, 1, 32, 8>;

  /// Pixels of a row: bit 1 + i is pixel i of the quad; bits 0 and 5 are the adjacent pixels.
  using Row = unsigned;
  static constexpr Row kOwn = 0b011110;

  __device__ static PixelQuad of_this_thread(Extent extent) {
    const int3 at = Grid::origin(extent);
    return {at.x, at.y, at.z};
  }
  __device__ bool inside(Extent extent) const { return extent.contains(x, y, z); }

  /// Returns the foreground of the row dy rows and dz slices away, which may lie outside of the image.
  __device__ Row row(ImageRef<const Pixel> image, int dy = 0, int dz = 0) const {
    if (!image.extent.contains(x, y + dy, z + dz)) return 0;
    const Pixel* const first = &image(x, y + dy, z + dz);
    const unsigned four = load_input(reinterpret_cast<const unsigned*>(first));
    const unsigned before = x > 0 ? load_input(first - 1) : 0u;
    const unsigned after = x < image.extent.width - 4 ? load_input(first + 4) : 0u;
    return before | ((four | four >> 7 | four >> 14 | four >> 21) & 15u) << 1 | after << 5;
  }
};

/// Calls visit(i) for each pixel i of the quad that is set in `row`.
template <class Visit>
__device__ void for_each_pixel(PixelQuad::Row row, Visit visit) {
  for (row &= PixelQuad::kOwn; row != 0; row &= row - 1)
    visit(static_cast<Index>(__ffs(static_cast<int>(row)) - 2));
}

/// Links each foreground pixel of the quad to its first foreground neighbor among the preceding ones, or to
/// itself if there is none. Background gets 0.
template <Connectivity connectivity>
__device__ void store_first_links(ImageRef<const Pixel> image, ImageRef<Label> labels, PixelQuad at) {
  PixelQuad::Row rows[2][3] = {};  // dz and dy, from -1
  for (int dz = is_3d(connectivity) ? -1 : 0; dz <= 0; ++dz)
    for (int dy = -1; dy <= (dz < 0 ? 1 : 0); ++dy)
      if (dy * dy + dz * dz <= max_axes(connectivity)) rows[dz + 1][dy + 1] = at.row(image, dy, dz);

  const Index first = image.index(at.x, at.y, at.z);
  Label links[4];
  for (int i = 0; i < 4; ++i) {
    const Index here = first + static_cast<Index>(i);
    Index parent = here;
    for_each_preceding<connectivity>([&](int dx, int dy, int dz) {
      const bool foreground = (rows[dz + 1][dy + 1] >> (1 + i + dx) & 1u) != 0;
      if (foreground && parent == here)
        parent = here + static_cast<Index>(dx) + static_cast<Index>(dy) * image.pitch +
                 static_cast<Index>(dz) * image.slice_pitch;
    });
    links[i] = (rows[1][1] >> (1 + i) & 1u) != 0 ? OneBased::pack(parent) : 0;
  }
  SharedByThreads::store_pair(labels.data + first, links[0], links[1]);
  SharedByThreads::store_pair(labels.data + first + 2, links[2], links[3]);
}

}  // namespace gpuccl::cuda
