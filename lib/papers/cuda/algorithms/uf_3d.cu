// Union-Find (UF), 3D, 6-, 18- and 26-connectivity: uf_2d.cu without tiles; all merges are done in the label
// image.
//
//   V. Oliveira, R. Lotufo, "A Study on Connected Components Labeling algorithms using GPUs", SIBGRAPI 2010

#include "common/shape.hpp"
#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace uf_3d {
namespace {

template <Connectivity connectivity>
__global__ void merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  Index node = labels.index(at.x, at.y, at.z);
  for_each_preceding<connectivity>([&](int dx, int dy, int dz) {
    if (is_foreground(image, at.x + dx, at.y + dy, at.z + dz))
      node = PixelForest{labels.data}.unite(node, labels.index(at.x + dx, at.y + dy, at.z + dz));
  });
}

// ---- host

template <Connectivity connectivity>
class Uf3d final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(buffers.image.extent);

    own_labels("Initialization", buffers, phase);
    phase("Merge", merge<connectivity>, shape, buffers.image, buffers.labels);
    compress_labels("PathCompression", buffers, phase);
  }
};

}  // namespace
}  // namespace uf_3d

Variants uf_2d_variants();  // uf_2d.cu
Variants uf_variants() {
  using enum Connectivity;
  return joined(uf_2d_variants(), variants<uf_3d::Uf3d, c6, c18, c26>());
}

}  // namespace gpuccl::cuda
