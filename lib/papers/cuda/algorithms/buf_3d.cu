// Block-based Union-Find (BUF), 3D, 26-connectivity: buf_2d.cu with blocks of 2x2x2 voxels.
//
//   S. Allegretti, F. Bolelli, C. Grana, "Optimized Block-Based Algorithms to Label Connected Components on
//   GPUs", IEEE TPDS 31(2), 2020, doi:10.1109/TPDS.2019.2934683 (section 5.3, figure 9)
//
// Block X is merged with the preceding neighbors, of 13, that it touches. Loading its eight voxels twice
// would cost too much, so Merge stores in the label image, one byte per block, which of them are foreground.

#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace buf_3d {
namespace {

__global__ void initialization(BlockInfoStore info) {
  const Block2x2x2 X = Block2x2x2::of_this_thread(info.labels.extent);
  if (!X.inside(info.labels.extent)) return;

  info.store(X, ZeroBased::pack(X.node(info.labels)), 0);
}

__global__ void merge(ImageRef<const Pixel> image, BlockInfoStore info) {
  const Block2x2x2 X = Block2x2x2::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  const BlockPixels own = load_pixels(image, X);
  if (own == 0) return;
  info.store(X, own);

  const BlockForest forest{info.labels.data};
  Index node = X.node(info.labels);
  for (unsigned blocks = blocks_of<0, kPrecedingBlocks>(touching_voxels(image, X, own)); blocks != 0;
       blocks &= blocks - 1)
    node = forest.unite(node, X.node_around(info.labels, __ffs(static_cast<int>(blocks)) - 1));
}

// ---- host

template <Compression how>
class Buf3d final : public BlockLabeler<Block2x2x2, PixelsFromInfo> {
  using BlockLabeler::BlockLabeler;

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = Block2x2x2::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization, shape, info(buffers));
    phase("Merge", merge, shape, buffers.image, info(buffers));
    phase("Compression", compression<Block2x2x2, how>, shape, buffers.labels);
  }
};

}  // namespace
}  // namespace buf_3d

// buf_2d.cu
Variants buf_2d_variants();
Variants buf_ic_2d_variants();

Variants buf_variants() {
  return joined(buf_2d_variants(), {variant<buf_3d::Buf3d<Compression::at_end>, Connectivity::c26>()});
}
Variants buf_ic_variants() {
  return joined(buf_ic_2d_variants(), {variant<buf_3d::Buf3d<Compression::in_line>, Connectivity::c26>()});
}

}  // namespace gpuccl::cuda
