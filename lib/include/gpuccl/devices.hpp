#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl {

/// A CUDA device that can be used.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::string compute_capability;  // "9.0"
  std::uint64_t memory_bytes = 0;
  int cores = 0;         // for arithmetic in single precision, of all multiprocessors
  double clock_mhz = 0;  // the highest
};

/// What this build and this machine offer for CUDA. Asking starts the driver, which takes a while.
struct CudaStatus {
  bool built_in = false;        // false: compiled without CUDA
  std::string runtime_version;  // "13.0"; empty without CUDA
  std::string driver_version;   // empty without a driver
  std::vector<CudaDevice> devices;
  std::string problem;  // why there is no usable device; empty if there is one
};

CudaStatus cuda_status();

/// The same for one question, without starting a device: how many there are, 0 without a usable driver, and
/// the bytes of memory of device `gpu`, 0 if there is none.
int count_cuda_devices();
std::uint64_t cuda_memory_bytes(int gpu);

}  // namespace gpuccl
