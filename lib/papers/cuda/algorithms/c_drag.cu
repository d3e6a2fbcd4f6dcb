// Decision trees over blocks of 2x2 pixels on a GPU (C-BBDT, C-DRAG), 2D, 8-connectivity.
//
//   S. Allegretti, F. Bolelli, M. Cancilla, F. Pollastri, L. Canalini, C. Grana, "How does Connected
//   Components Labeling with Decision Trees perform on GPUs?", Computer Analysis of Images and Patterns
//   (CAIP), 2019
//   C. Grana, D. Borghesani, R. Cucchiara, IEEE Transactions on Image Processing 19(6), 2010 (the tree)
//   F. Bolelli, L. Baraldi, M. Cancilla, C. Grana, ICPR 2018 (the graph)
//
// As in BUF (buf_2d.cu), the forest has one node per block. Merge: each thread reads pixels in the order of
// an optimal decision tree, or of the graph in which equal subtrees are shared, until it knows the blocks
// with which block X must be merged. Leaves omit blocks that other threads merge. lib/papers/trees
// generates the trees, with the published number of nodes; where a leaf allows several actions, the authors
// may have chosen another. Threads of a warp that reach different leaves do their unions together here.

#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace c_drag {
namespace {

/// Blocks to merge with X, one bit each.
using Blocks = unsigned;

/// The mask around block X. Loads each pixel once, when the generated code reads it:
///
///     a b | c d | e f        P Q R
///     g h | i j | k l        S X
///     m n | o p
///     q r | s t
class BlockMask {
 public:
  __device__ BlockMask(ImageRef<const Pixel> image, Block2x2 X, Blocks& found)
      : image_(image), X_(X), found_(found) {}

  __device__ bool ended() const { return ended_; }
  __device__ void write(Blocks found) {
    found_ = found;
    ended_ = true;
  }

  __device__ bool b() const { return asks(-1, -2); }
  __device__ bool c() const { return asks(0, -2); }
  __device__ bool d() const { return asks(1, -2); }
  __device__ bool g() const { return asks(-2, -1); }
  __device__ bool h() const { return asks(-1, -1); }
  __device__ bool i() const { return asks(0, -1); }
  __device__ bool j() const { return asks(1, -1); }
  __device__ bool k() const { return asks(2, -1); }
  __device__ bool m() const { return asks(-2, 0); }
  __device__ bool n() const { return asks(-1, 0); }
  __device__ bool o() const { return asks(0, 0); }
  __device__ bool p() const { return asks(1, 0); }
  __device__ bool r() const { return asks(-1, 1); }
  __device__ bool s() const { return asks(0, 1); }
  __device__ bool t() const { return asks(1, 1); }

  __device__ static Blocks of_P() { return 1; }
  __device__ static Blocks of_Q() { return 2; }
  __device__ static Blocks of_R() { return 4; }
  __device__ static Blocks of_S() { return 8; }
  __device__ static Blocks new_label() { return 0; }
  __device__ static Blocks joined(Blocks some, Blocks others) { return some | others; }

 private:
  __device__ bool asks(int dx, int dy) const { return is_foreground(image_, X_.x + dx, X_.y + dy, X_.z); }

  ImageRef<const Pixel> image_;
  Block2x2 X_;
  Blocks& found_;
  bool ended_ = false;
};

struct Tree {
  __device__ static void walk(BlockMask at) {
#include "papers/trees/bbdt.inc"
  }
};
struct Graph {
  __device__ static void walk(BlockMask at) {
#include "papers/trees/drag.inc"
  }
};

__global__ void initialization(ImageRef<Label> labels) {
  const Block2x2 X = Block2x2::of_this_thread(labels.extent);
  if (!X.inside(labels.extent)) return;
  const Index node = X.node(labels);
  SharedByThreads::store(labels.data + node, ZeroBased::pack(node));
}

template <class Decisions>
__global__ void merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const Block2x2 X = Block2x2::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  Blocks found = 0;
  Decisions::walk({image, X, found});
  const BlockForest forest{labels.data};
  Index node = X.node(labels);
  if (found & BlockMask::of_P()) node = forest.unite(node, X.node(labels, -1, -1));
  if (found & BlockMask::of_Q()) node = forest.unite(node, X.node(labels, 0, -1));
  if (found & BlockMask::of_R()) node = forest.unite(node, X.node(labels, 1, -1));
  if (found & BlockMask::of_S()) forest.unite(node, X.node(labels, -1, 0));
}

// ---- host

template <class Decisions>
class ByDecisions final : public BlockLabeler<Block2x2, PixelsFromImage> {
  using BlockLabeler::BlockLabeler;

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = Block2x2::Grid::shape(buffers.image.extent);

    phase("Initialization", initialization, shape, buffers.labels);
    phase("Merge", merge<Decisions>, shape, buffers.image, buffers.labels);
    phase("Compression", compression<Block2x2, Compression::at_end>, shape, buffers.labels);
  }
};

}  // namespace
}  // namespace c_drag

Variants c_bbdt_variants() { return {variant<c_drag::ByDecisions<c_drag::Tree>, Connectivity::c8>()}; }
Variants c_drag_variants() { return {variant<c_drag::ByDecisions<c_drag::Graph>, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
