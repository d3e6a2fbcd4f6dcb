#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

// Type-dependent code of labeling by values: the first phase, which makes bit planes (value_shape.cuh), and
// the value of each component.
namespace gpuccl::cuda::runs {

/// An image of values on the device; pitches are in bytes and multiples of a value's size. Which connect is
/// said in gpuccl/values.hpp.
struct DeviceValues {
  const void* data;
  ValueType type;
  double delta;
  std::int64_t row_pitch, slice_pitch;
};

/// Enqueues the planes of the image, which go to `planes`; the frame is of them.
void find_planes(Connectivity connectivity, const Frame& frame, const DeviceValues& values, Word* planes,
                 PhaseClock& phase);

/// Enqueues the values of the components, those of their first elements, up to number `capacity`.
void find_values(const Frame& frame, const DeviceValues& values, const Bitmap& first, ValueBits* to,
                 std::size_t capacity, PhaseClock& phase);

/// Enqueues where runs begin, of all rows one after the other, as `starts`.
void mark_runs(const Frame& frame, const Bitmap& starts, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
