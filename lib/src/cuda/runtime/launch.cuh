#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace gpuccl::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  /// The launch may begin while the one before it in the stream still runs: its kernel waits for that one
  /// with wait_for_launch_before(), in every thread, and touches until then nothing that any launch writes.
  bool early = false;
};

// Launch attributes of kernels that overlap (programmatic dependent launch, compute capability 9.0 on).

/// From when all thread blocks have called it, an early launch that comes next may begin.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits until everything that the launch before has written can be read.
__device__ inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Whether wait_for_launch_before() is in the code that the current device runs: what was compiled for older
/// devices lacks it, also where the driver makes code for a newer one of it.
template <class... Params>
bool waits_for_launch_before(void (*kernel)(Params...)) {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/// The only launch in the project. The tests' emulation of CUDA has another file in its place.
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
