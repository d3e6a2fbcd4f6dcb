// Block-based Komura Equivalence (BKE), 2D, 8-connectivity.
//
//   S. Allegretti, F. Bolelli, C. Grana, "Optimized Block-Based Algorithms to Label Connected Components on
//   GPUs", IEEE TPDS 31(2), 2020, doi:10.1109/TPDS.2019.2934683 (section 5.2, figure 8, table
//   1)
//
// As in BUF (buf_2d.cu, with a drawing of block X), the forest has one node per 2x2 block. Initialization
// links X to the first neighbor that it touches, without atomic operations. It stores the remaining work in
// an information byte: the foreground pixels of X (bits 0 to 3), and whether X must be merged with Q, R and S
// (bits 5 to 7).

#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace bke_2d {
namespace {

constexpr BlockInfo kUniteQ = 1u << 5, kUniteR = 1u << 6, kUniteS = 1u << 7;

__global__ void initialization(ImageRef<const Pixel> image, BlockInfoStore info) {
  const Block2x2 X = Block2x2::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  const Window touching = touching_pixels(image, X);
  const BlockInfo to_unite =
      (touching & kQ ? kUniteQ : 0) | (touching & kR ? kUniteR : 0) | (touching & kS ? kUniteS : 0);

  Index parent = X.node(info.labels);
  BlockInfo linked = 0;
  if (touching & kP) {
    parent = X.node(info.labels, -1, -1);
  } else if (touching & kQ) {
    parent = X.node(info.labels, 0, -1);
    linked = kUniteQ;
  } else if (touching & kR) {
    parent = X.node(info.labels, 1, -1);
    linked = kUniteR;
  } else if (touching & kS) {
    parent = X.node(info.labels, -1, 0);
    linked = kUniteS;
  }
  info.store(X, ZeroBased::pack(parent), of_block(touching) | (to_unite & ~linked));
}

__global__ void reduction(BlockInfoStore info) {
  const Block2x2 X = Block2x2::of_this_thread(info.labels.extent);
  if (!X.inside(info.labels.extent)) return;

  const BlockInfo unite = info.load(X);
  if (unite < kUniteQ) return;

  const BlockForest forest{info.labels.data};
  Index node = X.node(info.labels);
  if (unite & kUniteQ) node = forest.unite(node, X.node(info.labels, 0, -1));
  if (unite & kUniteR) node = forest.unite(node, X.node(info.labels, 1, -1));
  if (unite & kUniteS) node = forest.unite(node, X.node(info.labels, -1, 0));
}

// ---- host

template <Compression how>
class Bke2d final : public BlockLabeler<Block2x2, PixelsFromInfo> {
  using BlockLabeler::BlockLabeler;

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = Block2x2::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization, shape, buffers.image, info(buffers));
    phase("Compression", compression<Block2x2, how>, shape, buffers.labels);
    phase("Reduction", reduction, shape, info(buffers));
    phase("Compression", compression<Block2x2, how>, shape, buffers.labels);
  }
};

}  // namespace
}  // namespace bke_2d

Variants bke_2d_variants() { return {variant<bke_2d::Bke2d<Compression::at_end>, Connectivity::c8>()}; }
Variants bke_ic_2d_variants() { return {variant<bke_2d::Bke2d<Compression::in_line>, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
