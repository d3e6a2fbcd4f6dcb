#pragma once

#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// A flag that kernels raise to 1 and the host reads, to find out whether an iteration changed anything.
class DeviceFlag {
 public:
  DeviceFlag() {
    flag_.reserve(1, kDoing);
    void* memory = nullptr;
    check(cudaMallocHost(&memory, sizeof(Label)), kDoing);
    copy_ = static_cast<Label*>(memory);
  }
  ~DeviceFlag() { cudaFreeHost(copy_); }
  DeviceFlag(const DeviceFlag&) = delete;
  DeviceFlag& operator=(const DeviceFlag&) = delete;

  /// Returns the flag's address, for kernels.
  Label* data() const { return flag_.data(); }

  /// Calls iteration(), which launches kernels, until no kernel raises the flag.
  template <class Iteration>
  void repeat(PhaseClock& phase, Iteration iteration) {
    do {
      check(cudaMemsetAsync(flag_.data(), 0, sizeof(Label), phase.stream()), kDoing);
      iteration();
      check(cudaMemcpyAsync(copy_, flag_.data(), sizeof(Label), cudaMemcpyDeviceToHost, phase.stream()),
            kDoing);
      check(cudaStreamSynchronize(phase.stream()), kDoing);
      phase.finish();  // otherwise there would be events for thousands of iterations
    } while (*copy_ != 0);
  }

 private:
  static constexpr const char* kDoing = "iterating";

  DeviceBuffer<Label> flag_;
  Label* copy_ = nullptr;  // page-locked; otherwise the copy would wait for the driver
};

}  // namespace gpuccl::cuda
