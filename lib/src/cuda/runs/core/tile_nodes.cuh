#pragma once

#include <cstdint>

#include "cuda/device/warp.cuh"
#include "cuda/runs/core/tile.cuh"

namespace gpuccl::cuda::runs {

template <class Tile>
struct NodeCounts {
  std::uint16_t before[Tile::kThreads];  // pieces of the warp's words before this thread's
  std::uint32_t of_warp[Tile::kWarps];
};

/// Numbers of the nodes of a tile: its pieces, in the order of the threads that own their words.
template <class Tile>
class NodeNumbers {
 public:
  /// Waits for the whole thread block. `pieces`: of this thread's word.
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

  /// Number of the first node of thread `thread`. All lanes of a warp call it together.
  __device__ std::uint32_t first(const NodeCounts<Tile>& counts, int thread) const {
    return counts.before[thread] + __shfl_sync(~0u, before_warp_, thread / 32);
  }
  __device__ std::uint32_t total() const { return total_; }

 private:
  std::uint32_t before_warp_;  // lane i: nodes of the warps before warp i
  std::uint32_t total_;
};

}  // namespace gpuccl::cuda::runs
