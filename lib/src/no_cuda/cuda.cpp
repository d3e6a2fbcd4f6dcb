#include "cuda/cuda.hpp"

#include "gpuccl/devices.hpp"
#include "gpuccl/error.hpp"
#include "no_cuda/algorithms.hpp"

namespace gpuccl {

namespace {
constexpr const char* kReason = "this build of gpuccl has no CUDA";
}

namespace cuda {

std::vector<Algorithm> algorithms() { return no_cuda::algorithms(); }

void start_up(int) { throw Error(Failure::unavailable, kReason); }

std::string device_name(int) { return {}; }

}  // namespace cuda

CudaStatus cuda_status() {
  CudaStatus status;
  status.problem = kReason;
  return status;
}

}  // namespace gpuccl
