// Union-Find (UF), 2D, 4- and 8-connectivity.
//
//   V. Oliveira, R. Lotufo, "A Study on Connected Components Labeling algorithms using GPUs", SIBGRAPI 2010
//   (8-connectivity: Allegretti et al., IPAS 2018, doi:10.1109/IPAS.2018.8708900, section II.A)
//
// Each thread block labels a tile of the image in shared memory, first along its rows, then between rows.
// Then tiles are merged in the label image, by the pixels with neighbors in another tile, and links are
// followed to their roots. Unlike the paper, rows are linked by warp votes, and unions that others imply are
// omitted, which changes no label. label_tile() without coarse labeling is the published form of a tile
// (coarse_to_fine.cuh).

#include "common/shape.hpp"
#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace uf_2d {
namespace {

using UfTile = PixelTile<32, 16>;

/// Calls unite(dx, dy) for the pixels above that the run of this pixel touches. Omits pixels that another
/// pixel of the run is merged with, and pixels in the same run as one already visited. `before`: the pixel on
/// the left belongs to the same run.
template <Connectivity connectivity, class IsForeground, class Unite>
__device__ void for_runs_above(bool before, IsForeground foreground, Unite unite) {
  const bool above = foreground(0, -1);
  if constexpr (connectivity == Connectivity::c4) {
    if (above && !(before && foreground(-1, -1))) unite(0, -1);
  } else {
    if (!before) {
      if (above) {
        unite(0, -1);
      } else if (foreground(-1, -1)) {
        unite(-1, -1);
      }
    }
    if (!above && foreground(1, -1)) unite(1, -1);
  }
}

template <Connectivity connectivity>
__global__ void local_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  static_assert(UfTile::kWidth == 32, "a warp has a row of the tile");
  __shared__ Label links[UfTile::kPixels];
  __shared__ unsigned rows[UfTile::kHeight];
  const TileForest forest{links};
  const PixelThread at = UfTile::of_this_thread(image.extent);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);

  const int lane = static_cast<int>(threadIdx.x);
  const unsigned row = __ballot_sync(~0u, foreground);
  const int run = __clz(static_cast<int>(~(row << (31 - lane))));  // pixels of the run up to this one
  if (lane == 0) rows[threadIdx.y] = row;
  SharedByBlock::store(links + UfTile::index(), ZeroBased::pack(UfTile::index(run > 1 ? 1 - run : 0)));
  __syncthreads();

  if (foreground && threadIdx.y > 0) {
    const unsigned above = rows[threadIdx.y - 1];
    for_runs_above<connectivity>(
        run > 1, [&](int dx, int) { return UfTile::holds(dx, 0) && (above >> (lane + dx) & 1u) != 0; },
        [&](int dx, int dy) { forest.unite(UfTile::index(), UfTile::index(dx, dy)); });
  }
  __syncthreads();

  if (!at.inside(image.extent)) return;
  const Index root = UfTile::in_image(labels, at, forest.find(UfTile::index()));
  SharedByThreads::store(&labels(at.x, at.y, at.z), foreground ? OneBased::pack(root) : 0);
}

template <Connectivity connectivity>
__global__ void global_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = UfTile::of_this_thread(image.extent);
  const bool on_top = !UfTile::holds(0, -1), on_left = !UfTile::holds(-1, 0), on_right = !UfTile::holds(1, 0);
  if (!(on_top || on_left || on_right) || !is_foreground(image, at.x, at.y, at.z)) return;

  const auto foreground = [&](int dx, int dy) { return is_foreground(image, at.x + dx, at.y + dy, at.z); };
  const auto unite = [&](int dx, int dy) {
    PixelForest{labels.data}.unite(labels.index(at.x, at.y, at.z), labels.index(at.x + dx, at.y + dy, at.z));
  };
  const bool before = foreground(-1, 0);
  if (on_top) for_runs_above<connectivity>(!on_left && before, foreground, unite);
  if (on_left && before) unite(-1, 0);
  if constexpr (connectivity == Connectivity::c8) {
    if (on_top || foreground(0, -1)) return;  // the pixel above is merged with its neighbors
    if (on_left && !before && foreground(-1, -1)) unite(-1, -1);
    if (on_right && foreground(1, -1)) unite(1, -1);
  }
}

// ---- host

template <Connectivity connectivity>
class Uf2d final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape tiles = UfTile::Grid::shape(buffers.image.extent);

    phase("LocalMerge", local_merge<connectivity>, tiles, buffers.image, buffers.labels);
    phase("GlobalMerge", global_merge<connectivity>, tiles, buffers.image, buffers.labels);
    compress_labels("PathCompression", buffers, phase);
  }
};

}  // namespace
}  // namespace uf_2d

Variants uf_2d_variants() { return variants<uf_2d::Uf2d, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
