#include "cuda/runtime/check.hpp"

#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::cuda {
namespace {

Failure failure_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return Failure::memory;

    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceNotLicensed:
    case cudaErrorInitializationError:
    case cudaErrorStartupFailure:
    case cudaErrorOperatingSystem:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return Failure::unavailable;

    // The device or the way to it failed, not the program: another try may succeed.
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
      return Failure::temporary;

    default:
      return Failure::internal;
  }
}

}  // namespace

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // errors that are not sticky, such as out of memory, must not meet the next check
  throw Error(failure_of(status), std::string("CUDA, ") + doing + ": " + cudaGetErrorString(status));
}

}  // namespace gpuccl::cuda
