#pragma once

#include <cuda_runtime_api.h>

namespace gpuccl::cuda {

/// Throws Error unless `status` is success. `doing`: the phase or the work, for the message.
void check(cudaError_t status, const char* doing);

/// Returns true if this process has used device `gpu`. Making an unused device current would start it, which
/// takes a considerable part of a second and of a gigabyte.
bool has_primary_context(int gpu);

/// Makes device `gpu` current for the calling thread. At the end, the previous device is current again,
/// unless it has never been used.
class CurrentDevice {
 public:
  explicit CurrentDevice(int gpu) : gpu_(gpu) {
    constexpr const char* kDoing = "selecting the device";
    check(cudaGetDevice(&before_), kDoing);
    if (before_ != gpu_) check(cudaSetDevice(gpu_), kDoing);
  }
  ~CurrentDevice() {
    if (before_ != gpu_ && has_primary_context(before_)) cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int gpu_;
  int before_ = 0;
};

}  // namespace gpuccl::cuda
