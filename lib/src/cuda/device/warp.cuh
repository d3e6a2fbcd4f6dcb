#pragma once

#include <cuda_runtime.h>

namespace gpuccl::cuda {

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

}  // namespace gpuccl::cuda
