// SAUF's decision tree on a GPU (C-SAUF, TUF), 2D, 8-connectivity.
//
//   S. Allegretti, F. Bolelli, M. Cancilla, F. Pollastri, L. Canalini, C. Grana, "How does Connected
//   Components Labeling with Decision Trees perform on GPUs?", Computer Analysis of Images and Patterns
//   (CAIP), 2019
//   K. Wu, E. Otoo, K. Suzuki, LBNL-59102, 2005 (the tree)
//   F. Bolelli, S. Allegretti, L. Lumetti, C. Grana, "A State-of-the-Art Review with Code about Connected
//   Components Labeling on GPUs", IEEE TPDS, 2024, doi:10.1109/TPDS.2024.3434357 (TUF)
//
// Each pixel is a tree of its own at first. Merge: each thread follows the decision tree of SAUF, which reads
// as few neighbors as possible, and does the unions of the leaf. Compression links each pixel to its root.
//
//     p q r
//     s x
//
// TUF merges twice, like UF (uf_2d.cu): LocalMerge in shared memory, with pixels outside the tile as
// background, and GlobalMerge in the label image, with neighbors inside the tile as background.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace c_sauf {
namespace {

/// Calls unite(dx, dy) for the neighbors with which pixel x must be merged.
template <class IsForeground, class Unite>
__device__ void walk_tree(IsForeground foreground, Unite unite) {
  if (foreground(0, -1)) {
    unite(0, -1);
    return;
  }
  if (foreground(1, -1)) unite(1, -1);
  if (foreground(-1, -1)) {
    unite(-1, -1);
  } else if (foreground(-1, 0)) {
    unite(-1, 0);
  }
}

__global__ void merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread x = PixelThread::of_this_thread(image.extent);
  if (!is_foreground(image, x.x, x.y, x.z)) return;

  walk_tree([&](int dx, int dy) { return is_foreground(image, x.x + dx, x.y + dy, x.z); },
            [&](int dx, int dy) {
              PixelForest{labels.data}.unite(labels.index(x.x, x.y, x.z),
                                             labels.index(x.x + dx, x.y + dy, x.z));
            });
}

using TufTile = PixelTile<32, 16>;

__global__ void local_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  static_assert(TufTile::kWidth == kWarp, "a warp has a row of the tile");
  __shared__ Label links[TufTile::kPixels];
  __shared__ unsigned rows[TufTile::kHeight];
  const TileForest forest{links};
  const PixelThread x = TufTile::of_this_thread(image.extent);
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);

  const bool foreground = is_foreground(image, x.x, x.y, x.z);
  const unsigned pixels = __ballot_sync(kAllLanes, foreground);
  if (column == 0) rows[row] = pixels;
  forest.make_set(TufTile::index());
  __syncthreads();

  if (foreground)
    walk_tree(
        [&](int dx, int dy) { return TufTile::holds(dx, dy) && (rows[row + dy] >> (column + dx) & 1u) != 0; },
        [&](int dx, int dy) { forest.unite(TufTile::index(), TufTile::index(dx, dy)); });
  __syncthreads();

  if (!x.inside(image.extent)) return;
  const Index root = TufTile::in_image(labels, x, forest.find(TufTile::index()));
  SharedByThreads::store(&labels(x.x, x.y, x.z), foreground ? OneBased::pack(root) : 0);
}

__global__ void global_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread x = TufTile::of_this_thread(image.extent);
  const bool at_border = !TufTile::holds(0, -1) || !TufTile::holds(-1, 0) || !TufTile::holds(1, 0);
  if (!at_border || !is_foreground(image, x.x, x.y, x.z)) return;

  walk_tree([&](int dx,
                int dy) { return !TufTile::holds(dx, dy) && is_foreground(image, x.x + dx, x.y + dy, x.z); },
            [&](int dx, int dy) {
              PixelForest{labels.data}.unite(labels.index(x.x, x.y, x.z),
                                             labels.index(x.x + dx, x.y + dy, x.z));
            });
}

// ---- host

class CSauf final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    own_labels("Initialization", buffers, phase);
    phase("Merge", merge, PixelThread::Grid::shape(buffers.image.extent), buffers.image, buffers.labels);
    compress_labels("Compression", buffers, phase);
  }
};

class Tuf final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape tiles = TufTile::Grid::shape(buffers.image.extent);

    phase("LocalMerge", local_merge, tiles, buffers.image, buffers.labels);
    phase("GlobalMerge", global_merge, tiles, buffers.image, buffers.labels);
    compress_labels("PathCompression", buffers, phase);
  }
};

}  // namespace
}  // namespace c_sauf

Variants c_sauf_variants() { return {variant<c_sauf::CSauf, Connectivity::c8>()}; }
Variants tuf_variants() { return {variant<c_sauf::Tuf, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
