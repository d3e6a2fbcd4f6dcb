#pragma once

#include "cuda/device/counted_bits.cuh"
#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/table_columns.cuh"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/device.hpp"

// Measures of labels that are neither basic nor of samples: of shape, topology and border, and physical ones.
namespace gpuccl::cuda::tables {

/// Returns whether the measure is one of these.
bool has_shape(MeasureId id);

/// Sums of labels from which these measures are derived: `layout.words` words each, as few as the columns
/// need.
struct ShapeSums {
  bool wanted;  // by a column
  SumsLayout layout;
  unsigned long long* words;

  ShapeSums(const DeviceMeasuring& request, Arena& arena);
};

/// Enqueues one pass over the image, if a measure needs it.
void enqueue_shapes(const DeviceMeasuring& request, const ShapeSums& sums, PhaseClock& phase);

/// Enqueues the columns of these measures. `components`: area, box and coordinate sums of the labels.
void enqueue_shape_columns(const DeviceMeasuring& request, const ShapeSums& sums,
                           const DeviceComponent* components, const CountedBits& occurs,
                           const ColumnSet& columns, PhaseClock& phase);

}  // namespace gpuccl::cuda::tables
