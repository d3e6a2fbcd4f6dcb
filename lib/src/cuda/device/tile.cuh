#pragma once

#include <cstdint>

#include "cuda/device/pixel_forest.cuh"

namespace gpuccl::cuda {

/// The part of an image that one thread block labels in shared memory, one thread per pixel.
template <int w, int h>
struct PixelTile {
  static constexpr int kWidth = w, kHeight = h, kPixels = w * h;

  using Grid = ThreadGrid<1, 1, 1, w, h>;

  __device__ static PixelThread of_this_thread(Extent extent) {
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
  /// Returns the index in the image of the tile's pixel `in_tile`. `thread`: this thread's pixel.
  __device__ static Index in_image(ImageRef<Label> labels, PixelThread thread, Index in_tile) {
    return labels.index(thread.x - static_cast<int>(threadIdx.x) + static_cast<int>(in_tile % w),
                        thread.y - static_cast<int>(threadIdx.y) + static_cast<int>(in_tile / w), thread.z);
  }
};

// Links that a thread block keeps in shared memory, addressed by their index in the tile.

/// Forest in which every element is a node.
using TileForest = UnionFind<ZeroBased, SharedByBlock>;

/// Forest in which background is 0.
using TileForestWithBackground = UnionFind<OneBased, SharedByBlock>;

/// One thread per pixel just after a border between tiles. Each thread processes a pixel of the horizontal
/// borders (top rows of tiles), and then one of the vertical borders (left columns).
template <class Tile>
class BorderThread {
 public:
  static LaunchShape shape(Extent extent) {
    return Line::shape(in_a_slice(extent) * static_cast<unsigned>(extent.depth));
  }

  __device__ static BorderThread of_this_thread(Extent extent) {
    const std::uint64_t slice = in_a_slice(extent);
    const std::uint64_t thread = Line::of_this_thread();
    return {thread % slice, thread / slice};
  }

  /// Calls visit(pixel) if this thread has a pixel in the top row of a tile that has a tile above it.
  template <class Visit>
  __device__ void on_horizontal(Extent extent, Visit visit) const {
    if (in_slice_ >= horizontal(extent)) return;
    const auto i = static_cast<unsigned>(in_slice_), width = static_cast<unsigned>(extent.width);
    visit_inside(extent, i % width, (i / width + 1) * Tile::kHeight, visit);
  }
  /// Calls visit(pixel) if this thread has a pixel in the left column of a tile that has a tile to its left.
  template <class Visit>
  __device__ void on_vertical(Extent extent, Visit visit) const {
    if (in_slice_ >= vertical(extent)) return;
    const auto i = static_cast<unsigned>(in_slice_), height = static_cast<unsigned>(extent.height);
    visit_inside(extent, (i / height + 1) * Tile::kWidth, i % height, visit);
  }

 private:
  using Line = ThreadLine<>;

  __device__ BorderThread(std::uint64_t in_slice, std::uint64_t z) : in_slice_(in_slice), z_(z) {}

  /// Returns the number of threads per slice: at least one, because a launch must not be empty.
  GPUCCL_HD static std::uint64_t in_a_slice(Extent extent) {
    const std::uint64_t a = horizontal(extent), b = vertical(extent);
    return a > b ? a : b > 0 ? b : 1;
  }
  GPUCCL_HD static std::uint64_t horizontal(Extent extent) {
    return std::uint64_t{ceil_div(static_cast<unsigned>(extent.height), Tile::kHeight) - 1} *
           static_cast<unsigned>(extent.width);
  }
  GPUCCL_HD static std::uint64_t vertical(Extent extent) {
    return std::uint64_t{ceil_div(static_cast<unsigned>(extent.width), Tile::kWidth) - 1} *
           static_cast<unsigned>(extent.height);
  }

  template <class Visit>
  __device__ void visit_inside(Extent extent, unsigned x, unsigned y, Visit visit) const {
    const PixelThread at{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z_)};
    if (at.inside(extent)) visit(at);
  }

  std::uint64_t in_slice_, z_;
};

}  // namespace gpuccl::cuda
