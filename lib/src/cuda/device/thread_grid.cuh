#pragma once

#include <cstdint>

#include "cuda/runtime/launch.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

GPUCCL_HD constexpr unsigned ceil_div(unsigned a, unsigned b) { return a / b + (a % b != 0 ? 1 : 0); }

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Returns the sum of `value` over this lane and those before it. Only the first `lanes` lanes may have
/// values. All lanes call it.
template <unsigned lanes = kWarp>
__device__ unsigned sum_up_to_lane(unsigned value) {
  const unsigned lane = threadIdx.x % kWarp;
#pragma unroll
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    const unsigned before = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

/// One thread per group of w x h x d elements, in thread blocks of threads_x x threads_y.
///
/// A grid is limited to 65535 thread blocks along y and z, but an image is not. So rows of thread blocks are
/// counted through all slices and folded into y and z of the grid.
template <unsigned w, unsigned h, unsigned d, unsigned threads_x, unsigned threads_y>
struct ThreadGrid {
  static LaunchShape shape(Extent extent) {
    constexpr std::uint64_t kLimit = 65535;
    const std::uint64_t rows = std::uint64_t{block_rows(extent)} * ceil_div(unsigned(extent.depth), d);
    const std::uint64_t folds = (rows + kLimit - 1) / kLimit;
    const std::uint64_t rows_a_fold = (rows + folds - 1) / folds;
    return {dim3(ceil_div(unsigned(extent.width), w * threads_x), static_cast<unsigned>(rows_a_fold),
                 static_cast<unsigned>(folds)),
            dim3(threads_x, threads_y)};
  }

  /// Returns the first element of this thread's group. Threads beyond the image get elements outside of it.
  __device__ static int3 origin(Extent extent) {
    unsigned row = blockIdx.z * gridDim.y + blockIdx.y;
    unsigned slice = 0;
    if (extent.depth > static_cast<int>(d)) {
      slice = row / block_rows(extent);
      row -= slice * block_rows(extent);
    }
    return make_int3(static_cast<int>(w * (blockIdx.x * threads_x + threadIdx.x)),
                     static_cast<int>(h * (row * threads_y + threadIdx.y)), static_cast<int>(d * slice));
  }

 private:
  GPUCCL_HD static unsigned block_rows(Extent extent) {
    return ceil_div(static_cast<unsigned>(extent.height), h * threads_y);
  }
};

/// One thread per `each` of `count` items in a row.
template <unsigned each = 1, unsigned threads = 256>
struct ThreadLine {
  static LaunchShape shape(std::uint64_t count) {
    const std::uint64_t a_block = std::uint64_t{each} * threads;
    return {dim3(static_cast<unsigned>((count + a_block - 1) / a_block)), dim3(threads)};
  }
  /// Returns the first item of this thread.
  __device__ static std::uint64_t of_this_thread() {
    return (std::uint64_t{blockIdx.x} * threads + threadIdx.x) * each;
  }
};

}  // namespace gpuccl::cuda
