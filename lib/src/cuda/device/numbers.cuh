#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/block2x2.cuh"
#include "cuda/device/counted_bits.cuh"

namespace gpuccl::cuda {

/// Numbers components 1..N in raster order of their first elements, given which elements those are.
struct Numbers {
  CountedBits first;  // one bit an element: it is the first of its component

  __device__ Label operator()(Index element) const { return first.up_to(element); }
  /// Whether this element is a first one, and the next one of the same word: bits 0 and 1.
  __device__ unsigned pair(Index element) const { return first.words[element / 32] >> (element % 32) & 3u; }
};

/// Finds a component's first pixel from its root block, for block-based algorithms in FinalLabeling.
///
/// Usually that pixel is in the root block, and its bit gives the position. Otherwise the root was moved: the
/// link of the root block, which pointed to itself, then points to the pixel in a later block until every
/// block has its label.
template <class Block>
struct NumbersOfBlocks {
  Numbers numbers;
  ImageRef<const Label> labels;

  /// Links lead back, or to the block itself, except where a root was moved.
  __device__ static bool moved(Index node, Index link) { return link > node; }

  __device__ Label operator()(Index root) const {
    Index element = root;
    if (!in_pair(element) && !in_other_rows(element)) element = labels.data[root];
    return numbers(element);
  }

 private:
  /// Looks for a first pixel at `element`, which is even, and at the next; leaves its index in `element`.
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
      return in_row(element, labels.pitch);  // a root without first pixel in its upper row has a lower row
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
