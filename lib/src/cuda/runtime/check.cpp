#include <string>

#include "cuda/runtime/device.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {
namespace {

ErrorCode error_code_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return ErrorCode::memory;

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
      return ErrorCode::unavailable;

    // The device or the connection to it failed, not the program: a retry may succeed.
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
      return ErrorCode::temporary;

    default:
      return ErrorCode::internal;
  }
}

}  // namespace

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears errors such as out of memory, so that the next check does not report them
  throw Error(error_code_of(status), std::string("CUDA, ") + doing + ": " + cudaGetErrorString(status));
}

}  // namespace gpuccl::cuda
