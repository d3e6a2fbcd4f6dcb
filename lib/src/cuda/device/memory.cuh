#pragma once

#include <cuda_runtime.h>

#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// Plain accesses to what other threads access at the same time: the compiler may order them, the first-level
/// cache may serve them, and a warp's lanes meet again after walks over them, which those after volatile
/// accesses do not (measured on an H200: 1.3 to 1.6 times the time of a whole algorithm). The emulation of
/// CUDA has its own, so that ThreadSanitizer can tell them from races that are not meant.
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
  /// Two labels in one access; the first has an even index.
  __device__ static void store_pair(Label* p, Label first, Label second) {
    *reinterpret_cast<uint2*>(p) = make_uint2(first, second);
  }
  __device__ static Label fetch_min(Label* p, Label v) { return atomicMin(p, v); }
  /// Stores `v` if there is `expected`; returns what was there (compare-and-swap).
  __device__ static Label exchange_if(Label* p, Label expected, Label v) { return atomicCAS(p, expected, v); }
};

/// Access without stale loads, for threads that wait for each other and must see earlier writes.
struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) { return __ldcg(p); }
};

/// Access to links in shared memory by the threads of a thread block.
using SharedByBlock = SharedByThreads;

/// Reads what nobody writes while the kernel runs: the image.
template <class T>
__device__ T load_input(const T* p) {
  return __ldg(p);
}

/// Raises a flag that many threads raise at once. A store each would queue up at one address; after the first
/// store a look at it, served by the L1 cache, tells the others of the SM.
__device__ inline void raise(Label* flag) {
  if (plain_load(flag) == 0) plain_store(flag, Label{1});
}

}  // namespace gpuccl::cuda
