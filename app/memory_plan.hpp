#pragma once

#include <cstdint>
#include <vector>

#include "gpuccl/engine.hpp"
#include "gpuccl/slabs.hpp"

namespace gpuccl::app {

/// How an input is labelled within a bound on memory.
struct MemoryPlan {
  std::vector<Slab> slabs;    // empty: all at once
  std::int64_t max_kept = 0;  // bytes for what slabs leave behind
};

/// By arithmetic on the header. `memory`: bytes of the host, of which the input has taken `held`. The memory
/// of a GPU that is going to be used bounds slabs too. Error (memory) when not even the smallest slab fits.
MemoryPlan plan_memory(const Extent& extent, Connectivity connectivity, const EngineOptions& engine,
                       std::int64_t memory, std::int64_t held = 0);

}  // namespace gpuccl::app
