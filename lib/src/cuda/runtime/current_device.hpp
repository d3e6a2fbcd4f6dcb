#pragma once

#include "cuda/runtime/check.hpp"

namespace gpuccl::cuda {

/// Whether this process has used device `gpu`. Making a device current that it has not would start it, which
/// takes a good part of a second and of a gigabyte.
bool has_primary_context(int gpu);

/// Makes device `gpu` current for the calling thread; at the end the one before is current again, unless
/// nobody has used it yet.
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
