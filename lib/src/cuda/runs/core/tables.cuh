#pragma once

#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/words.cuh"

namespace gpuccl::cuda::runs {

/// Device arrays through which kernels pass data. Node n of tile t is slot t * Tile::kNodes + n.
template <class Link>
struct Tables {
  Link* links;                // [tiles * Tile::kNodes]; see forest.cuh. A tile uses its first slots.
  std::uint16_t* first_node;  // [tiles * Tile::kThreads]: node of the first piece of each word of bundles
  std::uint32_t* nodes;       // [tiles]: number of nodes
  Bitmap first;               // one bit per element: first elements of components
};

/// Clears the memory that must be zero when Numbering begins. All threads of one thread block call it.
__device__ inline void clear_before_counting(const Bitmap& bitmap) {
  const auto progress = static_cast<unsigned>(bitmap.lengths.progress());
  for (unsigned i = threadIdx.x; i < progress; i += blockDim.x) bitmap.progress[i] = 0;
  const auto padding = static_cast<unsigned>(bitmap.lengths.padding());
  for (unsigned i = threadIdx.x; i < padding; i += blockDim.x) bitmap.words[bitmap.lengths.words + i] = 0;
}

/// Returns the label of the component whose first element is at `position`.
template <class Link>
__device__ std::uint32_t label_of(const Tables<Link>& tables, Link position) {
  return tables.first.counted().up_to(position);
}

}  // namespace gpuccl::cuda::runs
