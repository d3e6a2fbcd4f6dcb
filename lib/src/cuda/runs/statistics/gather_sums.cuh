#pragma once

#include "cuda/runs/core/tables.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::cuda::runs {

/// Enqueues the sums that measures of shape and topology are derived from; call it after statistics. `sums`:
/// layout.words words per component, cleared before the statistics were enqueued.
template <Connectivity connectivity, class Link>
void gather_sums(const Frame& whole, const Tables<Link>& tables, const SumsLayout& layout,
                 unsigned long long* sums, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
