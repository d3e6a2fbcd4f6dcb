// Line-Based Union-Find (LBUF), 2D, 4- and 8-connectivity.
//
//   K. Yonehara, K. Aizawa, "A Line-Based Connected Component Labeling Algorithm Using GPUs", CANDAR 2015
//   (as described in Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452, figure 3; 8-connectivity: Allegretti
//   et al. 2020, doi:10.1109/TPDS.2019.2934683, section 3.2)
//
// A thread block labels a line, or a piece of one, in shared memory: each pixel is linked to its left
// neighbor. Then all threads follow links at once and relink their pixels at every step, so a run of n pixels
// takes log n steps. GlobalMerge merges each pixel with its neighbors in the line above, and across the ends
// of pieces.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace lbuf {
namespace {

using Line = PixelTile<512, 1>;  // the paper's

__global__ void local_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ Label links[Line::kPixels];
  const PixelThread at = Line::of_this_thread(image.extent);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);
  const bool has_left = foreground && Line::holds(-1, 0) && is_foreground(image, at.x - 1, at.y, at.z);

  SharedByBlock::store(links + Line::index(), ZeroBased::pack(Line::index(has_left ? -1 : 0)));
  __syncthreads();

  TileForest{links}.compress_inline(Line::index());
  if (!at.inside(image.extent)) return;
  const Index first = ZeroBased::unpack(SharedByBlock::load(links + Line::index()));
  SharedByThreads::store(&labels(at.x, at.y, at.z),
                         foreground ? OneBased::pack(Line::in_image(labels, at, first)) : 0);
}

template <Connectivity connectivity>
__global__ void global_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  const auto unite_with = [&](int dx, int dy) {
    if (!is_foreground(image, at.x + dx, at.y + dy, at.z)) return false;
    PixelForest{labels.data}.unite(labels.index(at.x, at.y, at.z), labels.index(at.x + dx, at.y + dy, at.z));
    return true;
  };
  if (at.x % Line::kWidth == 0) unite_with(-1, 0);
  if (!unite_with(0, -1) && connectivity == Connectivity::c8) {  // the pixel above touches its neighbors
    unite_with(-1, -1);
    unite_with(1, -1);
  }
}

// ---- host

template <Connectivity connectivity>
class Lbuf final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("LocalMerge", local_merge, Line::Grid::shape(extent), buffers.image, buffers.labels);
    phase("GlobalMerge", global_merge<connectivity>, PixelThread::Grid::shape(extent), buffers.image,
          buffers.labels);
    compress_labels_inline("Compression", buffers, phase);
  }
};

}  // namespace
}  // namespace lbuf

Variants lbuf_variants() { return variants<lbuf::Lbuf, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
