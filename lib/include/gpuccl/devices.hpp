#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl {

/// A usable CUDA device.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::string compute_capability;  // "9.0"
  std::uint64_t memory_bytes = 0;
  int cores = 0;         // single-precision cores of all multiprocessors
  double clock_mhz = 0;  // maximum
};

/// CUDA support of this build and machine.
struct CudaStatus {
  bool built_in = false;        // false: compiled without CUDA
  std::string runtime_version;  // "13.0"; empty without CUDA
  std::string driver_version;   // empty without a driver
  std::vector<CudaDevice> devices;
  std::string problem;  // why there is no usable device; empty if there is one
};

/// Queries CUDA. Starts the driver, which takes a while. Does not throw if there is no device.
CudaStatus cuda_status();

/// Returns the number of devices (0 without a usable driver), without starting one.
int count_cuda_devices();
/// Returns the memory of device `gpu` in bytes (0 if there is none), without starting it.
std::uint64_t cuda_memory_bytes(int gpu);

}  // namespace gpuccl
