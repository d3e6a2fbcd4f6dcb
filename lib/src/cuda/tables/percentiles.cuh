#pragma once

#include "cuda/device/counted_bits.cuh"
#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/table_columns.cuh"
#include "gpuccl/device.hpp"

// Median and percentiles of the samples of labels.
namespace gpuccl::cuda::tables {

/// The samples of each label, less the lowest value of their type, one behind the other: in any order, or for
/// many samples, how often each value occurs. They are in one array, with at most an entry per sample.
struct SampleLists {
  static constexpr int kEach = sizeof(unsigned long long) / sizeof(std::uint16_t);  // entries of a count

  int values = 0, lowest = 0;            // of the type; 0: no percentile is wanted
  unsigned long long* begins = nullptr;  // by label
  std::uint32_t* taken = nullptr;        // by label
  unsigned long long* end = nullptr;     // of all
  std::uint16_t* entries = nullptr;

  SampleLists(const DeviceMeasuring& request, Arena& arena);

  /// Returns whether counts take fewer entries than samples.
  __device__ bool has_counts(unsigned long long samples) const {
    return samples / kEach > static_cast<unsigned>(values);
  }
  __device__ unsigned long long* counts(std::size_t i) const {
    return reinterpret_cast<unsigned long long*>(entries + begins[i]);
  }
};

/// Enqueues the columns of these measures. `components`: areas of the labels.
void enqueue_percentiles(const DeviceMeasuring& request, const SampleLists& lists,
                         const DeviceComponent* components, const CountedBits& occurs,
                         const ColumnSet& columns, PhaseClock& phase);

}  // namespace gpuccl::cuda::tables
