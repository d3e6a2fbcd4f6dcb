#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// Components on the device as a structure of arrays; entry i describes label i + 1.
struct ComponentsRef {
  unsigned* area;
  int* min[3];
  int* max[3];
  Word64* sum[3];  // sums of the coordinates of all elements
};

/// Area, bounding box and coordinate sums of each component, from labels 1..N.
class Statistics {
 public:
  void collect(const LabelingBuffers& buffers, Label count, PhaseClock& phase);
  Components download(PinnedRing& ring, const Stream& stream) const;

 private:
  std::size_t count_ = 0;
  DeviceBuffer<unsigned> area_;
  DeviceBuffer<int> boxes_;    // six arrays of count_: min x, y, z, max x, y, z
  DeviceBuffer<Word64> sums_;  // three
};

}  // namespace gpuccl::cuda
