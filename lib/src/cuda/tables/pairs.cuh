#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpuccl/device.hpp"

namespace gpuccl::cuda::tables {

/// Arguments of overlaps_on_device() and contacts_on_device() after all checks, with all pitches set. Images
/// are not empty.
struct PairCall {
  DeviceValueImage labels, others;  // contacts have no others
  Connectivity connectivity;        // of contacts
  std::uint32_t largest;
  DevicePairs pairs;
  void* workspace;
  cudaStream_t stream;
};

std::size_t pairs_workspace_bytes(std::size_t capacity, bool contacts);
void enqueue_overlaps(const PairCall& call);
void enqueue_contacts(const PairCall& call);

/// Enqueues rank_on_device() after all checks, with all pitches set, in the workspace of overlaps. The image
/// is not empty.
void enqueue_ranking(const DeviceRanking& request, void* workspace, cudaStream_t stream);

}  // namespace gpuccl::cuda::tables
