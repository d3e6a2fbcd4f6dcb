#pragma once

#include "cuda/device/counted_bits.cuh"
#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/table_columns.cuh"
#include "gpuccl/device.hpp"

// Convex hulls of labels in images: their areas, and Feret diameters.
namespace gpuccl::cuda::tables {

/// Returns whether the measure comes from hulls.
bool has_hull(MeasureId id);

/// Arrays of the workspace for hulls.
struct HullMemory {
  bool wanted = false, with_diameters = false;  // by a column
  std::uint32_t* list = nullptr;                // labels with large boxes
  std::uint32_t* counts = nullptr;              // of these: all, and those that thread blocks have taken
  int* rows = nullptr;                          // of each thread block
  std::size_t pitch = 0;                        // of these, from one thread block to the next
  unsigned blocks = 0;

  HullMemory(const DeviceMeasuring& request, Arena& arena);
};

/// Enqueues the columns of these measures. `components`: area and box of the labels.
void enqueue_hulls(const DeviceMeasuring& request, const HullMemory& memory,
                   const DeviceComponent* components, const CountedBits& occurs, const ColumnSet& columns,
                   PhaseClock& phase);

}  // namespace gpuccl::cuda::tables
