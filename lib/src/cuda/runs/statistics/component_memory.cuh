#pragma once

#include <cstdint>

#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runs/statistics/component_sums.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "gpuccl/algorithms.hpp"
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

/// Enqueues the sums that measures of shape and topology are derived from; call it after statistics. `sums`:
/// layout.words words per component, cleared before the statistics were enqueued.
template <Connectivity connectivity, class Link>
void gather_sums(const TiledImage& whole, const LabelState<Link>& tables, const SumsLayout& layout,
                 unsigned long long* sums, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
