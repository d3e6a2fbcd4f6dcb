// Komura Equivalence (KE), 2D, 4- and 8-connectivity.
//
//   Y. Komura, "GPU-based cluster-labeling algorithm without the use of conventional iteration", Computer
//   Physics Communications 194, 2015, doi:10.1016/j.cpc.2015.04.015 (4-connectivity)
//
//   S. Allegretti, F. Bolelli, M. Cancilla, C. Grana, "Optimizing GPU-Based Connected Components Labeling
//   Algorithms", IPAS 2018, doi:10.1109/IPAS.2018.8708900 (8-connectivity: section III, figure 1; the union
//   with a single atomic: section II.A)
//
// Initialization links each pixel to its first foreground neighbor among the preceding ones, without atomic
// operations. Analysis relinks a pixel at every find step, which shortens later finds. Reduction merges a
// pixel with the neighbors that Initialization omitted and that no other pixel merges:
//
//     NW N NE      4: W, if N was linked to and NW does not connect the two
//     W  x         8: none if N is foreground, because it touches all others; otherwise NE if NW was linked
//                  to, and W if NE was; W and NW are merged by their own threads

#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/device/pixel_quad.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace ke {
namespace {

template <Connectivity connectivity>
__global__ void initialization(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelQuad at = PixelQuad::of_this_thread(image.extent);
  if (at.inside(image.extent)) store_first_links<connectivity>(image, labels, at);
}

template <Connectivity connectivity>
__global__ void reduction(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelQuad at = PixelQuad::of_this_thread(image.extent);
  if (!at.inside(image.extent)) return;

  const PixelQuad::Row x = at.row(image), N = at.row(image, -1);
  const PixelQuad::Row W = x << 1, NW = N << 1, NE = N >> 1;
  const PixelForest forest{labels.data};
  const Index first = labels.index(at.x, at.y, at.z);
  if constexpr (connectivity == Connectivity::c4) {
    for_each_pixel(x & N & W & ~NW, [&](Index i) { forest.unite(first + i, first + i - 1); });
  } else {
    for_each_pixel(x & ~N & NE & NW, [&](Index i) { forest.unite(first + i, first + i + 1 - labels.pitch); });
    for_each_pixel(x & ~N & NE & ~NW & W, [&](Index i) { forest.unite(first + i, first + i - 1); });
  }
}

// ---- host

template <Connectivity connectivity>
class Ke final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelQuad::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization<connectivity>, shape, buffers.image, buffers.labels);
    compress_labels_inline("Analysis", buffers, phase);
    phase("Reduction", reduction<connectivity>, shape, buffers.image, buffers.labels);
    compress_labels_inline("Analysis", buffers, phase);
  }
};

}  // namespace
}  // namespace ke

Variants ke_variants() { return variants<ke::Ke, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
