// Komura Equivalence without redundant unions (KE of Playne and Hawick), 4- and 6-connectivity.
//
//   D. Playne, K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", IEEE TPDS
//   29(6), 2018, doi:10.1109/TPDS.2018.2799216
//
// As in KE (ke.cu), an element x is first linked to one preceding neighbor: Z behind it, otherwise Y above
// it, otherwise X to its left. It is merged with each of the others only if no detour connects them whose
// parts are all linked already, or merged by an earlier element:
//
//     YX Y
//     X  x
//
// If Y is foreground, X is connected through YX. The other two planes are analogous: X is connected through
// ZX, and Y through ZY. In 2D, this leaves X, if Y is foreground and YX is not.

#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/device/pixel_quad.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace ke_playne {
namespace {

template <Connectivity connectivity>
__global__ void init_labels(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelQuad at = PixelQuad::of_this_thread(image.extent);
  if (at.inside(image.extent)) store_first_links<connectivity>(image, labels, at);
}

template <Connectivity connectivity>
__global__ void label_reduction(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelQuad at = PixelQuad::of_this_thread(image.extent);
  if (!at.inside(image.extent)) return;

  const PixelQuad::Row x = at.row(image), Y = at.row(image, -1);
  PixelQuad::Row Z = 0, ZY = 0;
  if constexpr (is_3d(connectivity)) {
    Z = at.row(image, 0, -1);
    ZY = at.row(image, -1, -1);
  }
  const PixelQuad::Row X = x << 1, YX = Y << 1, ZX = Z << 1;
  const PixelForest forest{labels.data};
  const Index first = labels.index(at.x, at.y, at.z);

  for_each_pixel(x & Y & Z & ~ZY, [&](Index i) { forest.unite(first + i, first + i - labels.pitch); });
  const PixelQuad::Row linked_elsewhere = Y | Z;
  for_each_pixel(x & X & linked_elsewhere & ~(Y & YX) & ~(Z & ZX),
                 [&](Index i) { forest.unite(first + i, first + i - 1); });
}

// ---- host

template <Connectivity connectivity>
class KePlayne final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelQuad::Grid::shape(buffers.image.extent);

    phase("InitLabels", init_labels<connectivity>, shape, buffers.image, buffers.labels);
    compress_labels("ResolveLabels", buffers, phase);
    phase("LabelReduction", label_reduction<connectivity>, shape, buffers.image, buffers.labels);
    compress_labels("ResolveLabels", buffers, phase);
  }
};

}  // namespace
}  // namespace ke_playne

Variants ke_playne_variants() { return variants<ke_playne::KePlayne, Connectivity::c4, Connectivity::c6>(); }

}  // namespace gpuccl::cuda
