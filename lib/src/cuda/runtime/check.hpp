#pragma once

#include <cuda_runtime_api.h>

namespace gpuccl::cuda {

/// Throws Error unless `status` is success. `doing`: the phase or the work, for the message.
void check(cudaError_t status, const char* doing);

}  // namespace gpuccl::cuda
