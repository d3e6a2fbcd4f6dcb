#pragma once

#include "cuda/device/memory.cuh"
#include "papers/cuda/device/block2x2.cuh"

namespace gpuccl::cuda {

/// Data of a block for all phases: its foreground pixels and, for BKE, the neighbors with which it must still
/// be merged.
using BlockInfo = unsigned;

/// Stores the information byte (2D) or integer (3D) of each block in a pixel of the label image that is
/// unused before FinalLabeling, as in the papers:
///
///     L I     L |     L      even | odd width | one pixel only (all sides odd): in a neighbor block's last
///     pixel . .     I |            or, where there is no such neighbor either, in `spare`
///
/// A block of a single pixel is the last block of its slice (2D) or volume (3D). FinalLabeling overwrites the
/// pixel of the neighboring block, so it must read the single pixel from the image: see alone().
struct BlockInfoStore {
  ImageRef<Label> labels;
  Label* spare = nullptr;  // one per slice (2D) or one (3D); null if no block needs it

  /// Returns true if images of this extent need `spare`.
  template <class Block>
  static bool needs_spare(Extent e) {
    const auto odd = [](int side) { return side % 2 != 0; };
    if constexpr (Block::kDepth == 1) return odd(e.width) && odd(e.height) && (e.width == 1 || e.height == 1);
    return odd(e.width) && odd(e.height) && odd(e.depth) &&
           (e.width == 1) + (e.height == 1) + (e.depth == 1) >= 2;
  }

  /// Returns true if the block is a single pixel.
  __device__ bool alone(Block2x2 X) const {
    return X.x + 1 == labels.extent.width && X.y + 1 == labels.extent.height;
  }
  __device__ bool alone(Block2x2x2 X) const {
    return alone(Block2x2{X.x, X.y, X.z}) && X.z + 1 == labels.extent.depth;
  }

  template <class Block>
  __device__ BlockInfo load(Block X) const {
    return SharedByThreads::load(place(X));
  }
  template <class Block>
  __device__ void store(Block X, BlockInfo info) const {
    SharedByThreads::store(place(X), info);
  }
  /// Stores link and information, in one access if they are adjacent.
  template <class Block>
  __device__ void store(Block X, Label link, BlockInfo info) const {
    Label* const node = labels.data + X.node(labels);
    if (X.x + 1 < labels.extent.width) {
      SharedByThreads::store_pair(node, link, info);
    } else {
      SharedByThreads::store(node, link);
      store(X, info);
    }
  }

 private:
  __device__ Label* place(Block2x2 X) const {
    Label* const node = labels.data + X.node(labels);
    if (X.x + 1 < labels.extent.width) return node + 1;
    if (X.y + 1 < labels.extent.height) return node + labels.pitch;
    return spare != nullptr ? spare + X.z : node - labels.pitch - 1;
  }
  __device__ Label* place(Block2x2x2 X) const {
    Label* const node = labels.data + X.node(labels);
    if (X.x + 1 < labels.extent.width) return node + 1;
    if (X.y + 1 < labels.extent.height) return node + labels.pitch;
    if (X.z + 1 < labels.extent.depth) return node + labels.slice_pitch;
    if (spare != nullptr) return spare;
    if (X.x > 0 && X.y > 0) return node - labels.pitch - 1;
    return X.x > 0 ? node - labels.slice_pitch - 1 : node - labels.slice_pitch - labels.pitch;
  }
};

}  // namespace gpuccl::cuda
