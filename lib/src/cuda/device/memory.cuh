#pragma once

#include <cuda_runtime.h>

#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// How the threads of a launch share links in global memory. Loads may be served by the first-level cache,
/// hence stale: union_find.hpp says why that is harmless.
struct SharedByThreads {
  __device__ static Label load(const Label* p) { return __ldca(p); }
  __device__ static void store(Label* p, Label v) { __stwb(p, v); }
  __device__ static Label fetch_min(Label* p, Label v) { return atomicMin(p, v); }
};

/// The same without stale loads, for threads that wait for each other and must see what was written before.
struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) { return __ldcg(p); }
};

/// How the threads of a thread block share links in shared memory.
struct SharedByBlock {
  __device__ static Label load(const Label* p) { return *static_cast<const volatile Label*>(p); }
  __device__ static void store(Label* p, Label v) { *static_cast<volatile Label*>(p) = v; }
  __device__ static Label fetch_min(Label* p, Label v) { return atomicMin(p, v); }
};

}  // namespace gpuccl::cuda
