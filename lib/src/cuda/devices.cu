#include <map>
#include <mutex>

#include "cuda/cuda.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

std::string version(int number) {  // 13020 is 13.2
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Returns 0 if there is no driver.
int driver_version() {
  int number = 0;
  cuda::check(cudaDriverGetVersion(&number), "asking for the driver");
  return number;
}

int device_count() {
  if (driver_version() == 0) throw Error(ErrorCode::unavailable, "no NVIDIA driver is installed");
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "looking for a device");
  return count;
}

cudaDeviceProp properties(int gpu) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, gpu), "asking for the device");
  return properties;
}

/// Returns the number of single-precision cores per multiprocessor (CUDA C++ Programming Guide, compute
/// capabilities, throughput of native arithmetic instructions).
int cores_of_multiprocessor(int major, int minor) {
  return major == 7 || (major == 8 && minor == 0) || (major == 6 && minor == 0) ? 64 : 128;
}

int attribute(cudaDeviceAttr which, int gpu) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, gpu), "asking for the device");
  return value;
}

__global__ void nothing() {}

}  // namespace

namespace cuda {

void require_device(int gpu, int number) {
  std::string message = "there is no GPU " + std::to_string(number);
  try {
    const int count = device_count();
    if (gpu >= 0 && gpu < count) return;
    if (gpu == number) message += ", only " + std::to_string(count) + (count == 1 ? " device" : " devices");
  } catch (const Error& error) {  // CUDA has none if the first one that may be visible does not exist
    if (gpu == number) throw;
    message += std::string(": ") + error.what();
  }
  throw Error(ErrorCode::unavailable, message);
}

void start_up(int gpu) {
  // Devices start concurrently, each once.
  struct Device {
    std::mutex starting;
    bool started = false;
  };
  static std::mutex mutex;
  static std::map<int, Device> devices;
  Device& device = [&]() -> Device& {
    const std::lock_guard lock(mutex);
    return devices[gpu];
  }();
  const std::lock_guard lock(device.starting);
  if (device.started) return;

  require_device(gpu, gpu);
  constexpr const char* kDoing = "starting the device";
  const CurrentDevice current(gpu);
  // Only a launch shows that this build has code for the device.
  const Stream stream;
  launch(nothing, LaunchShape{dim3(1), dim3(1)}, stream.get());
  check(cudaGetLastError(), kDoing);
  stream.wait(kDoing);
  device.started = true;
}

std::string device_name(int gpu) { return properties(gpu).name; }

}  // namespace cuda

CudaStatus cuda_status() {
  CudaStatus status;
  status.built_in = true;
  try {
    int runtime = 0;
    cuda::check(cudaRuntimeGetVersion(&runtime), "asking for the runtime");
    status.runtime_version = version(runtime);
    if (const int driver = driver_version(); driver != 0) status.driver_version = version(driver);
    const int count = device_count();
    for (int gpu = 0; gpu < count; ++gpu) {
      cuda::start_up(gpu);
      const cudaDeviceProp found = properties(gpu);
      status.devices.push_back(
          {gpu, found.name, std::to_string(found.major) + "." + std::to_string(found.minor),
           found.totalGlobalMem,
           attribute(cudaDevAttrMultiProcessorCount, gpu) * cores_of_multiprocessor(found.major, found.minor),
           attribute(cudaDevAttrClockRate, gpu) / 1000.0});
    }
    if (count == 0) status.problem = "there is no CUDA device";
  } catch (const Error& error) {
    if (status.devices.empty()) status.problem = error.what();
  }
  return status;
}

int count_cuda_devices() {
  try {
    return device_count();
  } catch (const Error&) {
    return 0;
  }
}

std::uint64_t cuda_memory_bytes(int gpu) {
  try {
    return properties(gpu).totalGlobalMem;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace gpuccl
