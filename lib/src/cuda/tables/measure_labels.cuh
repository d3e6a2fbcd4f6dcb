#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "gpuccl/device.hpp"
#include "measure/derived.hpp"

namespace gpuccl::cuda::tables {

/// Arguments of measure_on_device() after all checks, with all pitches set. The image is not empty.
struct MeasureCall {
  DeviceMeasuring request;
  measuring::BasicFormulas formulas;
  void* workspace;
  cudaStream_t stream;
};

/// Reads neither images nor addresses.
std::size_t workspace_bytes(const DeviceMeasuring& request);
void enqueue(const MeasureCall& call);

/// Enqueues the search of highest_label_on_device(), from the value of `highest` on. The image is not empty.
void enqueue_highest(const DeviceValueImage& labels, unsigned long long* highest, cudaStream_t stream);

/// Enqueues columns of the first `count` components, or of *found if these are fewer.
void enqueue_columns(std::span<const DeviceColumn> columns, const DeviceComponent* components,
                     std::size_t count, const unsigned long long* found,
                     const measuring::BasicFormulas& formulas, cudaStream_t stream);

/// Enqueues relabel_on_device() after all checks, with all pitches set. The image is not empty.
void enqueue_relabeling(const DeviceRelabeling& request, cudaStream_t stream);

}  // namespace gpuccl::cuda::tables
