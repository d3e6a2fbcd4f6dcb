#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace gpuccl::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  /// The launch may start while the previous launch in the stream still runs. All threads of its kernel call
  /// wait_for_launch_before(), and until then access nothing that any launch writes.
  bool early = false;
};

// Launch attributes of kernels that overlap (programmatic dependent launch, compute capability 9.0 on).

/// Allows the next launch, if early, to start once all thread blocks have called this.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits until all writes of the previous launch are visible.
__device__ inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Returns true if the code for the current device contains wait_for_launch_before(). Code compiled for older
/// devices lacks it, even if the driver recompiles it for a newer device.
template <class... Params>
bool waits_for_launch_before(void (*kernel)(Params...)) {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/// The only launch in the project. The tests' emulation of CUDA replaces this file.
template <class... Params>
void launch(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
            const std::type_identity_t<Params>&... args) {
  if (!shape.early || !waits_for_launch_before(kernel)) {
    kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(args...);
    return;
  }
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, args...);
}

}  // namespace gpuccl::cuda
