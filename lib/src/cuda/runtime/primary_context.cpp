#include <cuda.h>
#include <cuda_runtime_api.h>

#include "cuda/runtime/device.hpp"

namespace gpuccl::cuda {
namespace {

/// Returns a function of the driver. The program does not link the driver, so it also starts on machines
/// without one.
void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  constexpr unsigned kSince = 7000;  // CUDA 7.0
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, kSince, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

}  // namespace

bool has_primary_context(int gpu) {
  using GetState = CUresult(CUDAAPI*)(CUdevice, unsigned*, int*);
  const auto get_state = reinterpret_cast<GetState>(driver_function("cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = 0;
  return get_state != nullptr && get_state(gpu, &flags, &active) == CUDA_SUCCESS && active != 0;
}

}  // namespace gpuccl::cuda
