#pragma once

// Stands in for lib/src/cuda/runtime/launch.cuh, whose launch only nvcc understands.

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <type_traits>

namespace emulation {
/// Puts a launch into the stream, to run when it is waited for.
void enqueue_launch(cudaStream_t stream, dim3 grid, dim3 block, bool early, std::function<void()> thread);
}  // namespace emulation

namespace gpuccl::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  bool early = false;  // is counted; launches run one after the other here
};

inline void let_next_launch_begin() {}
inline void wait_for_launch_before() {}

template <class... Params>
void launch(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
            const std::type_identity_t<Params>&... args) {
  emulation::enqueue_launch(stream, shape.grid, shape.block, shape.early,
                            [kernel, args...] { kernel(args...); });
}

}  // namespace gpuccl::cuda
