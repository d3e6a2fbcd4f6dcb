#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

// Type-dependent code of multi-label images: the first phase, which makes bit planes (value_shape.cuh), and
// the value of each component.
namespace gpuccl::cuda::runs {

/// A multi-label image on the device. Pitches are in bytes, and multiples of a value's size. ValueImage in
/// gpuccl/values.hpp defines which elements connect.
struct DeviceValues {
  const void* data;
  ValueType type;
  double delta;
  std::int64_t row_pitch, slice_pitch;
};

/// Enqueues the planes of the image. `frame`: of the planes, which are written to `planes`.
void find_planes(Connectivity connectivity, const TiledImage& frame, const DeviceValues& values, Word* planes,
                 PhaseClock& phase);

/// Enqueues the values of the first `capacity` components: those of their first elements.
void find_values(const TiledImage& frame, const DeviceValues& values, const Bitmap& first, ValueBits* to,
                 std::size_t capacity, PhaseClock& phase);

/// Enqueues a bitmap of the first elements of runs, row after row, to `starts`.
void mark_runs(const TiledImage& frame, const Bitmap& starts, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
