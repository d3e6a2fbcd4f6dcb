#pragma once

#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/values/planes.cuh"
#include "gpuccl/device.hpp"

// Arguments of label_on_device() after all checks, with all pitches set. Images are not empty.
namespace gpuccl::cuda::runs {

struct DeviceCall {
  DeviceImage image;
  DeviceResult result;
  void* workspace;
  cudaStream_t stream;
};

/// Arguments of label_values_on_device().
struct ValueCall {
  DeviceValues values;
  Extent extent;
  DeviceResult result;
  ValueBits* to;
  void* workspace;
  cudaStream_t stream;
};

// Defined in device_labeling.cuh, instantiated in runs_2d.cu, runs_3d.cu, values_2d.cu and values_3d.cu.

template <Connectivity connectivity>
std::size_t workspace_bytes(Extent extent, LinkWidth width);

template <Connectivity connectivity>
void enqueue(const DeviceCall& call, LinkWidth width);

template <Connectivity connectivity>
std::size_t value_workspace_bytes(Extent extent, LinkWidth width);

template <Connectivity connectivity>
void enqueue_values(const ValueCall& call, LinkWidth width);

}  // namespace gpuccl::cuda::runs
