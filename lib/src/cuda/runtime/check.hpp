#pragma once

#include <cuda_runtime_api.h>

namespace gpuccl::cuda {

/// Throws Error unless `status` is success. `doing` is the phase or the work, as it shall stand in the
/// message.
void check(cudaError_t status, const char* doing);

}  // namespace gpuccl::cuda
