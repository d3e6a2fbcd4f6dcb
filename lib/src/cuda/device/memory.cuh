#pragma once

#include <cuda_runtime.h>

#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// Plain accesses to memory that other threads access at the same time. The compiler may reorder them and the
/// L1 cache may serve them. Unlike after volatile accesses, the lanes of a warp reconverge after finds
/// (measured on an H200: with volatile, a whole algorithm takes 1.3 to 1.6 times as long). The emulation of
/// CUDA has its own version, so that ThreadSanitizer can tell these accesses from unintended races.
#ifndef GPUCCL_EMULATED_CUDA
template <class T>
__device__ T plain_load(const T* p) {
  return *p;
}
template <class T>
__device__ void plain_store(T* p, T v) {
  *p = v;
}
#endif

/// Access to links in global memory shared by the threads of a launch. union_find.hpp explains why a stale
/// read is harmless.
struct SharedByThreads {
  __device__ static Label load(const Label* p) { return plain_load(p); }
  __device__ static void store(Label* p, Label v) { plain_store(p, v); }
  /// Stores two labels in one access. The first has an even index.
  __device__ static void store_pair(Label* p, Label first, Label second) {
    *reinterpret_cast<uint2*>(p) = make_uint2(first, second);
  }
  __device__ static Label fetch_min(Label* p, Label v) { return atomicMin(p, v); }
  /// Stores `v` if the value is `expected`; returns the previous value (compare-and-swap).
  __device__ static Label exchange_if(Label* p, Label expected, Label v) { return atomicCAS(p, expected, v); }
};

/// Access without stale loads, for threads that wait for each other and must see earlier writes.
struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) { return __ldcg(p); }
};

/// Access to links in shared memory by the threads of a thread block.
using SharedByBlock = SharedByThreads;

/// Loads data that no thread writes while the kernel runs, such as the image.
template <class T>
__device__ T load_input(const T* p) {
  return __ldg(p);
}

/// Raises a flag that many threads raise at once. If each stored to it, the stores would queue at one
/// address. After the first store, a load, served by the L1 cache, saves the other threads of the SM the
/// store.
__device__ inline void raise(Label* flag) {
  if (plain_load(flag) == 0) plain_store(flag, Label{1});
}

/// Raises *to to the highest value of the lanes of a warp. All lanes call it.
__device__ inline void raise_in_warp(unsigned long long* to, unsigned long long value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const unsigned long long other = __shfl_xor_sync(~0u, value, distance);
    value = other > value ? other : value;
  }
  if (threadIdx.x % 32 == 0 && value > plain_load(to)) atomicMax(to, value);
}

}  // namespace gpuccl::cuda
