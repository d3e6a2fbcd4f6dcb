#include "cuda/cuda.hpp"

#include "common/gpu_table.hpp"
#include "gpuccl/devices.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl {

namespace {

constexpr const char* kReason = "this build of gpuccl has no CUDA";

std::unique_ptr<Labeler> not_built_in(int) { throw Error(Failure::unavailable, kReason); }

}  // namespace

namespace cuda {

std::vector<Algorithm> algorithms() {
  return gpu_table([](const std::string&, const std::vector<Connectivity>& connectivities) {
    return std::vector<MakeLabeler>(connectivities.size(), not_built_in);
  });
}

std::vector<Algorithm> counting_algorithms() {
  return gpu_table([](const std::string& name, const std::vector<Connectivity>& connectivities) {
    return std::vector<MakeLabeler>(name == "runs" || name == "runs-bytes" ? 0 : connectivities.size(),
                                    not_built_in);
  });
}

void start_up(int) { throw Error(Failure::unavailable, kReason); }

std::string device_name(int) { return {}; }

}  // namespace cuda

CudaStatus cuda_status() {
  CudaStatus status;
  status.problem = kReason;
  return status;
}

}  // namespace gpuccl
