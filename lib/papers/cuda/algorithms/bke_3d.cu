// Block-based Komura Equivalence (BKE), 3D, 26-connectivity: bke_2d.cu with blocks of 2x2x2 voxels.
//
//   S. Allegretti, F. Bolelli, C. Grana, "Optimized Block-Based Algorithms to Label Connected Components on
//   GPUs", IEEE TPDS 31(2), 2020, doi:10.1109/TPDS.2019.2934683 (section 5.3, figure 9)
//
// The information byte becomes an integer: the eight voxels of X (bits 0 to 7), and which of its 13 preceding
// neighbors, in raster order, must be merged with it (bits 8 to 20).

#include "common/shape.hpp"
#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace bke_3d {
namespace {

constexpr BlockInfo kFirstNeighbor = 1u << 8;

__global__ void initialization(ImageRef<const Pixel> image, BlockInfoStore info) {
  const Block2x2x2 X = Block2x2x2::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  Index parent = X.node(info.labels);
  const BlockPixels own = load_pixels(image, X);
  BlockInfo to_unite = 0;
  if (own != 0) {
    const unsigned blocks = blocks_of<0, kPrecedingBlocks>(touching_voxels(image, X, own));
    if (blocks != 0) parent = X.node_around(info.labels, __ffs(static_cast<int>(blocks)) - 1);
    to_unite = (blocks & (blocks - 1)) * kFirstNeighbor;
  }
  info.store(X, ZeroBased::pack(parent), own | to_unite);
}

__global__ void reduction(BlockInfoStore info) {
  const Block2x2x2 X = Block2x2x2::of_this_thread(info.labels.extent);
  if (!X.inside(info.labels.extent)) return;

  const BlockInfo unite = info.load(X);
  if (unite < kFirstNeighbor) return;

  const BlockForest forest{info.labels.data};
  Index node = X.node(info.labels);
  BlockInfo neighbor = kFirstNeighbor;
  for_each_preceding<Connectivity::c26>([&](int dx, int dy, int dz) {
    if (unite & neighbor) node = forest.unite(node, X.node(info.labels, dx, dy, dz));
    neighbor <<= 1;
  });
}

// ---- host

template <Compression how>
class Bke3d final : public BlockLabeler<Block2x2x2, PixelsFromInfo> {
  using BlockLabeler::BlockLabeler;

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = Block2x2x2::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization, shape, buffers.image, info(buffers));
    phase("Compression", compression<Block2x2x2, how>, shape, buffers.labels);
    phase("Reduction", reduction, shape, info(buffers));
    phase("Compression", compression<Block2x2x2, how>, shape, buffers.labels);
  }
};

}  // namespace
}  // namespace bke_3d

// bke_2d.cu
Variants bke_2d_variants();
Variants bke_ic_2d_variants();

Variants bke_variants() {
  return joined(bke_2d_variants(), {variant<bke_3d::Bke3d<Compression::at_end>, Connectivity::c26>()});
}
Variants bke_ic_variants() {
  return joined(bke_ic_2d_variants(), {variant<bke_3d::Bke3d<Compression::in_line>, Connectivity::c26>()});
}

}  // namespace gpuccl::cuda
