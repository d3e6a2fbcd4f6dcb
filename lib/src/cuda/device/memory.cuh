#pragma once

#include <cuda_runtime.h>

#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// How the threads of a launch share links in global memory. Plain accesses: union_find.hpp says why a stale
/// read is harmless, and walks over volatile ones keep the lanes of a warp apart afterwards (measured on an
/// H200: 1.3 to 1.6 times the time of a whole algorithm).
struct SharedByThreads {
  __device__ static Label load(const Label* p) { return *p; }
  __device__ static void store(Label* p, Label v) { *p = v; }
  __device__ static Label fetch_min(Label* p, Label v) { return atomicMin(p, v); }
};

/// The same without stale loads, for threads that wait for each other and must see what was written before.
struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) { return __ldcg(p); }
};

/// Raises a flag that many threads raise at once. A store each would queue up at one address; after the first
/// store a look at it, served by the first-level cache, tells the others of the multiprocessor.
__device__ inline void raise(Label* flag) {
  if (*flag == 0) *flag = 1;
}

/// How the threads of a thread block share links in shared memory, for the same reasons.
using SharedByBlock = SharedByThreads;

}  // namespace gpuccl::cuda
