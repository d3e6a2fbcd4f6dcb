#pragma once

#include <cuda_runtime_api.h>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cuda {

struct LaunchShape;

/// Reads what kernels that count have counted in one launch.
class LaunchCounter {
 public:
  virtual ~LaunchCounter() = default;
  /// Before a launch on `stream`: sets the counters to 0.
  virtual void begin(const LaunchShape& shape, cudaStream_t stream) = 0;
  /// After it: waits for it and adds what it has counted to `launch`.
  virtual void end(PhaseTime& launch) = 0;
};

}  // namespace gpuccl::cuda
