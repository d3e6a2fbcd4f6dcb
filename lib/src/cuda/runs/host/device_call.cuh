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

/// Arguments of clean_on_device().
struct CleanCall {
  DeviceCleaning request;
  std::size_t components;  // at least as many as the image can have
  void* workspace;
  cudaStream_t stream;
};

// Defined in device_labeling.cuh and cleaning.cuh, instantiated in runs_2d.cu, runs_3d.cu, values_2d.cu and
// values_3d.cu.

template <Connectivity connectivity>
std::size_t workspace_bytes(Extent extent, LinkWidth width);

template <Connectivity connectivity>
void enqueue(const DeviceCall& call, LinkWidth width);

template <Connectivity connectivity>
std::size_t value_workspace_bytes(Extent extent, LinkWidth width);

template <Connectivity connectivity>
void enqueue_values(const ValueCall& call, LinkWidth width);

/// Bytes of workspace for the labeling of an image, or of its complement, and what is chosen from it.
template <Connectivity connectivity>
std::size_t selection_bytes(const CleanCall& call, bool of_complement);
template <Connectivity connectivity>
std::size_t value_selection_bytes(const CleanCall& call);

/// Enqueues the filling of holes, whose bits then begin the workspace. `connectivity`: of the complement.
template <Connectivity connectivity>
void enqueue_filling(const CleanCall& call);

/// Enqueues the rest.
template <Connectivity connectivity>
void enqueue_cleaning(const CleanCall& call);
template <Connectivity connectivity>
void enqueue_value_cleaning(const CleanCall& call);

}  // namespace gpuccl::cuda::runs
