#pragma once

#include <cstdint>

#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile.cuh"
#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile.cuh"

namespace gpuccl::cuda::runs {

/// Calls visit(i) for all i below `count`, each in one thread of the block. All lanes of a warp take part in
/// every iteration, so they reconverge after finds of different lengths.
template <class Visit>
__device__ void share_among_threads(std::uint32_t count, Visit visit) {
  for (std::uint32_t begin = 0; begin < count; begin += blockDim.x) {
    const std::uint32_t i = begin + threadIdx.x;
    if (i < count) visit(i);
    __syncwarp();
  }
}

// After all unions, the link of a root is replaced by a mark: a flag and the complement of the position, in
// the tile, of its component's first element. The earliest position is the largest mark, so any number of
// threads may offer one with an atomic maximum while others still look for the root.

inline constexpr std::uint32_t kMarked = 1u << 31;

__device__ inline void mark_first(std::uint32_t* links, std::uint32_t root, std::uint32_t position) {
  const std::uint32_t mark = kMarked | (~kMarked - position);
  if (plain_load(links + root) < mark) atomicMax(links + root, mark);
}
__device__ inline std::uint32_t marked_first(const std::uint32_t* links, std::uint32_t root) {
  return ~kMarked - (links[root] & ~kMarked);
}
/// Returns the root of `node`, whether it is marked or not.
__device__ inline std::uint32_t marked_root(const std::uint32_t* links, std::uint32_t node) {
  std::uint32_t link = plain_load(links + node);
  while (link != node && (link & kMarked) == 0) {
    node = link;
    link = plain_load(links + node);
  }
  return node;
}

struct ElementOfBundle {
  int row, bit;
  bool in_last_row;  // of the bundle
};

/// Returns the first element of a piece in raster order.
template <class Tile>
__device__ ElementOfBundle first_element(const Bundle<Tile>& bundle, Word piece) {
  int row = 0;
  Word elements = 0;
#pragma unroll
  for (int i = Tile::kBundleRows - 1; i >= 0; --i)
    if ((bundle.row[i] & piece) != 0) {
      row = i;
      elements = bundle.row[i] & piece;
    }
  return {row, lowest_bit(elements), row == Tile::kBundleRows - 1};
}

/// Returns the index of an element in its tile, in raster order.
template <class Tile>
__device__ std::uint32_t position_in_tile(const WordPosition<Tile>& place, int row, int bit) {
  const int y = place.row * Tile::kRowsY + row % Tile::kRowsY;
  const int z = place.layer * Tile::kRowsZ + row / Tile::kRowsY;
  return static_cast<std::uint32_t>(((z * Tile::kHeight + y) * Tile::kWords + place.word) * kWordBits + bit);
}

template <class Link, class Tile>
__device__ Link position_in_image(const TiledImage& frame, const WordPosition<Tile>& place,
                                  std::uint32_t position) {
  const std::uint32_t row = position / Tile::kWidth;
  const Link y = static_cast<Link>(place.tile_y) * Tile::kHeight + row % Tile::kHeight;
  const Link z = static_cast<Link>(place.tile_z) * Tile::kDepth + row / Tile::kHeight;
  return ((z * static_cast<Link>(frame.height) + y) * static_cast<Link>(frame.pitch)) * kWordBits +
         static_cast<Link>(place.tile_x) * Tile::kWidth + position % Tile::kWidth;
}

template <class Tile>
struct NodeCounts {
  std::uint16_t before[Tile::kThreads];  // pieces in the preceding words of the warp
  std::uint32_t of_warp[Tile::kWarps];
};

/// Numbers the nodes of a tile: its pieces, in the order of the threads that own their words.
template <class Tile>
class NodeNumbers {
 public:
  /// Waits for the whole thread block. `pieces`: number in this thread's word.
  __device__ NodeNumbers(NodeCounts<Tile>& counts, int pieces) {
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t own = static_cast<std::uint32_t>(pieces);
    const std::uint32_t sum = sum_up_to_lane(own);
    counts.before[threadIdx.x] = static_cast<std::uint16_t>(sum - own);
    if (lane == 31) counts.of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    const std::uint32_t of_warp = lane < Tile::kWarps ? counts.of_warp[lane] : 0;
    const std::uint32_t up_to_warp = sum_up_to_lane<Tile::kWarps>(of_warp);
    before_warp_ = up_to_warp - of_warp;
    total_ = __shfl_sync(~0u, up_to_warp, Tile::kWarps - 1);
  }

  /// Returns the number of the first node of thread `thread`. All lanes of a warp call it together.
  __device__ std::uint32_t first(const NodeCounts<Tile>& counts, int thread) const {
    return counts.before[thread] + __shfl_sync(~0u, before_warp_, thread / 32);
  }
  __device__ std::uint32_t total() const { return total_; }

 private:
  std::uint32_t before_warp_;  // lane i: nodes of the warps before warp i
  std::uint32_t total_;
};

}  // namespace gpuccl::cuda::runs
