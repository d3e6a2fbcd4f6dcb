#pragma once

#include <cstdint>

#include "cuda/runs/component_sums.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "gpuccl/components.hpp"

namespace gpuccl::cuda::runs {

/// Memory for ComponentSums, kept from image to image.
class ComponentMemory {
 public:
  /// Makes room for `count` components and clears them.
  ComponentSums reserve(std::size_t count, PhaseClock& phase);
  Components download(PinnedRing& ring, const Stream& stream) const;

 private:
  std::size_t count_ = 0;
  DeviceBuffer<ComponentSum> sums_;
};

}  // namespace gpuccl::cuda::runs
