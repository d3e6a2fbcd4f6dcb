#pragma once

#include <cstdint>
#include <vector>

#include "gpuccl/bit_volume.hpp"
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

/// The same for an image whose components do not fit beside it: by slabs so small that theirs do, which are
/// counted as they pile up.
MemoryPlan plan_for_many_components(const Extent& extent, Connectivity connectivity,
                                    const EngineOptions& engine, std::int64_t memory, std::int64_t held = 0);

/// Whether the components of an image that is labelled at once fit beside it, as far as a look at its rows
/// can tell: true is certain.
bool components_fit(BitView image, Connectivity connectivity, const EngineOptions& engine,
                    std::int64_t memory);

}  // namespace gpuccl::app
