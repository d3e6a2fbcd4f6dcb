// Block-based Union-Find (BUF), 2D, 8-connectivity.
//
//   S. Allegretti, F. Bolelli, C. Grana, "Optimized Block-Based Algorithms to Label Connected Components on
//   GPUs", IEEE TPDS 31(2), 2020, doi:10.1109/TPDS.2019.2934683 (section 5.1, figures 5 to 7)
//
// The forest has one node per 2x2 block: the link at the block's top-left pixel. All foreground pixels of a
// block touch each other, which does not hold for 4-connectivity. The thread of block X merges it with four
// neighbors; the threads of the other four neighbors merge them with X.
//
//     . P | Q Q | R .
//     ----+-----+----
//     . S | a b |
//     . S | c d |

#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace buf_2d {
namespace {

__global__ void initialization(ImageRef<Label> labels) {
  const Block2x2 X = Block2x2::of_this_thread(labels.extent);
  if (!X.inside(labels.extent)) return;

  const Index node = X.node(labels);
  // The second pixel is unused until FinalLabeling. It is written too, because writing half a memory sector
  // costs more than a whole one.
  SharedByThreads::store_pair(labels.data + node, ZeroBased::pack(node), 0);
}

__global__ void merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const Block2x2 X = Block2x2::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  const BlockForest forest{labels.data};
  const Window touching = touching_pixels(image, X);
  Index node = X.node(labels);
  if (touching & kP) node = forest.unite(node, X.node(labels, -1, -1));
  if (touching & kQ) node = forest.unite(node, X.node(labels, 0, -1));
  if (touching & kR) node = forest.unite(node, X.node(labels, 1, -1));
  if (touching & kS) node = forest.unite(node, X.node(labels, -1, 0));
}

// ---- host

template <Compression how>
class Buf2d final : public BlockLabeler<Block2x2, PixelsFromImage> {
  using BlockLabeler::BlockLabeler;

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = Block2x2::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization, shape, buffers.labels);
    phase("Merge", merge, shape, buffers.image, buffers.labels);
    phase("Compression", compression<Block2x2, how>, shape, buffers.labels);
  }
};

}  // namespace
}  // namespace buf_2d

Variants buf_2d_variants() { return {variant<buf_2d::Buf2d<Compression::at_end>, Connectivity::c8>()}; }
Variants buf_ic_2d_variants() { return {variant<buf_2d::Buf2d<Compression::in_line>, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
