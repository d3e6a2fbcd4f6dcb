#pragma once

#include <cstdint>

#include "cuda/runs/statistics/component_sums.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cuda::runs {

/// Enqueues clearing of all `components`, or of the first *count if `count` is not null. `flat`: each
/// component lies in one slice. The following launch of measure() may start early.
void clear_components(const ComponentSums& components, const unsigned long long* count, bool flat,
                      PhaseClock& phase);

/// Memory for ComponentSums, reused for the next image.
class ComponentMemory {
 public:
  /// Makes room for `count` components.
  ComponentSums reserve(std::size_t count);
  Components download(PinnedRing& ring, const Stream& stream) const;

 private:
  std::size_t count_ = 0;
  DeviceBuffer<DeviceComponent> sums_;
};

}  // namespace gpuccl::cuda::runs
