#pragma once

#include <cstdint>

#include "cuda/runs/words.cuh"
#include "cuda/runtime/count_on_host.cuh"

namespace gpuccl::cuda::runs {

/// What the kernels leave for each other, on the device. Node n of tile t is slot t * Tile::kNodes + n.
template <class Link>
struct Tables {
  Link* links;                // [tiles * Tile::kNodes]; forest.cuh. The nodes of a tile are its first ones.
  std::uint16_t* first_node;  // [tiles * Tile::kThreads]: of each word of bundles, its first piece's node
  std::uint32_t* nodes;       // [tiles]: how many
  Word* first_bits;           // one bit an element: the first ones of components; padded to whole scan blocks
  std::uint32_t* before;      // [words / 4]: first elements before each group of 4 words
  unsigned long long* scan;   // [scan_entries()]: progress of the prefix sums, zero when they begin
  CountTarget count;          // for N
};

}  // namespace gpuccl::cuda::runs
