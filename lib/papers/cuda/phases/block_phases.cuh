#pragma once

#include "common/union_find.hpp"
#include "cuda/device/memory.cuh"
#include "papers/cuda/device/block_info.cuh"
#include "papers/cuda/device/block_pixels.cuh"

// Phases shared by BUF and BKE, in 2D and 3D. The node of a block is the link at its first pixel.
namespace gpuccl::cuda {

using BlockForest = UnionFind<ZeroBased, SharedByThreads>;

enum class Compression { at_end, in_line };

template <class Block, Compression how>
__global__ void compression(ImageRef<Label> labels) {
  const Block X = Block::of_this_thread(labels.extent);
  if (!X.inside(labels.extent)) return;

  const BlockForest forest{labels.data};
  if constexpr (how == Compression::in_line) {
    forest.compress_inline(X.node(labels));
  } else {
    forest.compress(X.node(labels));
  }
}

/// Source of a block's pixels for FinalLabeling: the image.
struct PixelsFromImage {
  ImageRef<const Pixel> image;
  PixelsFromImage(ImageRef<const Pixel> from, BlockInfoStore) : image(from) {}

  template <class Block>
  __device__ BlockPixels load(Block X) const {
    return load_pixels(image, X);
  }
};
/// Source of a block's pixels: the information that an earlier phase stored.
struct PixelsFromInfo {
  ImageRef<const Pixel> image;
  BlockInfoStore info;

  template <class Block>
  __device__ BlockPixels load(Block X) const {
    return (info.alone(X) ? load_pixels(image, X) : info.load(X)) & (Block::kDepth == 1 ? 0xfu : 0xffu);
  }
};

/// Label that FinalLabeling writes for a root: any value that is unique per component, as in the papers.
struct ProvisionalNumbers {
  __device__ static constexpr bool moved(Index, Index) { return false; }
  __device__ Label operator()(Index root) const { return root + 1; }
};

/// Writes `label` to the foreground pixels of a row of a block, and 0 to the others. The second pixel may be
/// padding.
__device__ inline void write_pair(Label* at, BlockPixels pixels, Label label) {
  SharedByThreads::store_pair(at, pixels & 1u ? label : 0, pixels & 2u ? label : 0);
}

template <class Block, class Pixels, class Numbers>
__global__ void final_labeling(ImageRef<Label> labels, Pixels pixels_of, Numbers number_of) {
  const Block X = Block::of_this_thread(labels.extent);
  if (!X.inside(labels.extent)) return;

  Label* const node = labels.data + X.node(labels);
  const BlockPixels pixels = pixels_of.load(X);
  Label label = 0;
  bool keep_node = false;
  if (pixels != 0) {
    const Index root = SharedByThreads::load(node);
    label = number_of(root);
    keep_node = number_of.moved(X.node(labels), root);
  }

  if (keep_node) {
    SharedByThreads::store(node + 1, pixels & 2u ? label : 0);
  } else {
    write_pair(node, pixels, label);
  }
  if (X.y + 1 < labels.extent.height) write_pair(node + labels.pitch, pixels >> 2, label);
  if constexpr (Block::kDepth == 2) {
    if (X.z + 1 == labels.extent.depth) return;
    write_pair(node + labels.slice_pitch, pixels >> 4, label);
    if (X.y + 1 < labels.extent.height)
      write_pair(node + labels.slice_pitch + labels.pitch, pixels >> 6, label);
  }
}

}  // namespace gpuccl::cuda
