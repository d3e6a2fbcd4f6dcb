#pragma once

#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/words.cuh"

namespace gpuccl::cuda::runs {

/// Device arrays through which kernels pass data. Node n of tile t is slot t * Tile::kNodes + n.
template <class Link>
struct Tables {
  Link* links;                // [tiles * Tile::kNodes]; forest.cuh. The nodes of a tile are its first ones.
  std::uint16_t* first_node;  // [tiles * Tile::kThreads]: of each word of bundles, its first piece's node
  std::uint32_t* nodes;       // [tiles]: how many
  Bitmap first;               // one bit an element: the first ones of components
};

/// Clears what Numbering finds zero when it begins. The threads of one thread block call it.
__device__ inline void clear_before_counting(const Bitmap& bitmap) {
  const auto progress = static_cast<unsigned>(bitmap.lengths.progress());
  for (unsigned i = threadIdx.x; i < progress; i += blockDim.x) bitmap.progress[i] = 0;
  const auto padding = static_cast<unsigned>(bitmap.lengths.padding());
  for (unsigned i = threadIdx.x; i < padding; i += blockDim.x) bitmap.words[bitmap.lengths.words + i] = 0;
}

/// Label of the component whose first element is at `position`.
template <class Link>
__device__ std::uint32_t label_of(const Tables<Link>& tables, Link position) {
  return tables.first.counted().up_to(position);
}

}  // namespace gpuccl::cuda::runs
