#pragma once

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"

// Kernels shared by OUF and C2FL, two papers of the same authors.
namespace gpuccl::cuda {

/// Directions of a step.
enum class Scans { none = 0, rows = 1, columns = 2, rows_and_columns = 3 };
GPUCCL_HD constexpr bool along_rows(Scans scans) {
  return scans == Scans::rows || scans == Scans::rows_and_columns;
}
GPUCCL_HD constexpr bool along_columns(Scans scans) {
  return scans == Scans::columns || scans == Scans::rows_and_columns;
}

/// The foreground neighbors of a foreground pixel within its tile.
struct NeighborsInTile {
  bool west = false, north = false, northwest = false, northeast = false;

  template <class Tile>
  __device__ static NeighborsInTile of(ImageRef<const Pixel> image, PixelThread at) {
    const auto near = [&](int dx, int dy) {
      return Tile::holds(dx, dy) && is_foreground(image, at.x + dx, at.y + dy, at.z);
    };
    if (!is_foreground(image, at.x, at.y, at.z)) return {};
    return {near(-1, 0), near(0, -1), near(-1, -1), near(1, -1)};
  }
};

/// Labels tiles in shared memory. Coarse labeling links each pixel to its left neighbor, or instead to the
/// pixel above if that is foreground, and follows links to the roots. Refinement merges pixels that coarse
/// labeling has left separate. The algorithms differ in the directions of both steps. 8-connectivity adds
/// refinement along both diagonals.
template <class Tile, Scans coarse, Scans refined, Connectivity connectivity>
__global__ void label_tile(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ Label links[Tile::kPixels];
  const TileForest forest{links};
  const PixelThread at = Tile::of_this_thread(image.extent);
  const auto near = NeighborsInTile::of<Tile>(image, at);
  const Index here = Tile::index();

  Index parent = here;
  if (along_rows(coarse) && near.west) parent = Tile::index(-1, 0);
  if (along_columns(coarse) && near.north) parent = Tile::index(0, -1);
  SharedByBlock::store(links + here, ZeroBased::pack(parent));
  __syncthreads();
  if constexpr (coarse != Scans::none) {
    forest.compress_inline(here);
    __syncthreads();
  }

  if (along_rows(refined) && near.west) forest.unite(here, Tile::index(-1, 0));
  if (along_columns(refined) && near.north) forest.unite(here, Tile::index(0, -1));
  if constexpr (connectivity == Connectivity::c8) {
    if (near.northwest && !near.north && !near.west) forest.unite(here, Tile::index(-1, -1));
    if (near.northeast && !near.north) forest.unite(here, Tile::index(1, -1));
  }
  __syncthreads();

  if (!at.inside(image.extent)) return;
  const Index root = Tile::in_image(labels, at, forest.find(here));
  SharedByThreads::store(&labels(at.x, at.y, at.z),
                         is_foreground(image, at.x, at.y, at.z) ? OneBased::pack(root) : 0);
}

/// Merges the pixels on both sides of all borders between tiles, horizontal and vertical ones in one launch.
template <class Tile, Connectivity connectivity>
__global__ void merge_borders(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const auto unite = [&](PixelThread at, int dx, int dy) {
    if (!is_foreground(image, at.x + dx, at.y + dy, at.z)) return false;
    PixelForest{labels.data}.unite(labels.index(at.x, at.y, at.z), labels.index(at.x + dx, at.y + dy, at.z));
    return true;
  };
  const auto thread = BorderThread<Tile>::of_this_thread(image.extent);
  thread.on_horizontal(image.extent, [&](PixelThread at) {
    if (!is_foreground(image, at.x, at.y, at.z) || unite(at, 0, -1))
      return;  // the pixel above touches its neighbors
    if constexpr (connectivity == Connectivity::c8) {
      unite(at, -1, -1);
      unite(at, 1, -1);
    }
  });
  thread.on_vertical(image.extent, [&](PixelThread at) {
    if (!is_foreground(image, at.x, at.y, at.z) || unite(at, -1, 0)) return;
    if constexpr (connectivity == Connectivity::c8) {
      unite(at, -1, -1);
      unite(at, -1, 1);
    }
  });
}

}  // namespace gpuccl::cuda
