#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/counted_bits.cuh"
#include "papers/cuda/device/block2x2.cuh"

namespace gpuccl::cuda {

/// Labels components 1..N in raster order of their first elements, which are given.
struct Numbers {
  CountedBits first;  // one bit per element: set if it is the first of its component

  __device__ Label operator()(Index element) const { return first.up_to(element); }
  /// Returns whether this element, and the next one of the same word, are first elements, as bits 0 and 1.
  __device__ unsigned pair(Index element) const { return first.words[element / 32] >> (element % 32) & 3u; }
};

/// Finds a component's first pixel from its root block, for block-based algorithms in FinalLabeling.
///
/// Usually that pixel is in the root block, and its bit gives the position. Otherwise the root was moved: the
/// link of the root block, which pointed to the block itself, points to the pixel in a later block until all
/// blocks have their labels.
template <class Block>
struct NumbersOfBlocks {
  Numbers numbers;
  ImageRef<const Label> labels;

  /// Returns true if a root was moved. All other links lead back, or to the block itself.
  __device__ static bool moved(Index node, Index link) { return link > node; }

  __device__ Label operator()(Index root) const {
    Index element = root;
    if (!in_pair(element) && !in_other_rows(element)) element = labels.data[root];
    return numbers(element);
  }

 private:
  /// Looks for a first pixel at `element`, which is even, and at the next one. Leaves its index in `element`.
  __device__ bool in_pair(Index& element) const {
    const unsigned pair = numbers.pair(element);
    if (pair == 2u) ++element;
    return pair != 0;
  }
  __device__ bool in_row(Index& element, Index offset) const {
    Index at = element + offset;
    if (!in_pair(at)) return false;
    element = at;
    return true;
  }
  __device__ bool in_other_rows(Index& element) const {
    if constexpr (Block::kDepth == 1) {
      return in_row(element, labels.pitch);  // a root without a first pixel in its upper row has a lower row
    } else {
      const Index z = element / labels.slice_pitch;
      const Index y = (element - z * labels.slice_pitch) / labels.pitch;
      const bool below = y + 1 < static_cast<Index>(labels.extent.height);
      const bool behind = z + 1 < static_cast<Index>(labels.extent.depth);
      return (below && in_row(element, labels.pitch)) || (behind && in_row(element, labels.slice_pitch)) ||
             (below && behind && in_row(element, labels.slice_pitch + labels.pitch));
    }
  }
};

}  // namespace gpuccl::cuda
