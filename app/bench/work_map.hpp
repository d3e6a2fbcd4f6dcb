#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/results.hpp"
#include "gpuccl/image.hpp"

namespace gpuccl::bench {

/// Figure of a thread block: &BlockWork::longest or &BlockWork::atomics.
using WorkFigure = std::uint32_t BlockWork::*;

/// Returns the maximum of the figure over the thread blocks of all maps; at least 1.
std::uint32_t most_of(const std::vector<WorkMap>& maps, WorkFigure figure);

/// Returns `image` in the grid of a map: one pixel per thread block, lighter with more foreground. Slices of
/// a volume follow each other downwards.
Picture mapped_image(BitView image, const WorkMap& map);

/// Draws the work of thread blocks, one pixel per block: find steps of the longest path above, atomic
/// operations below. Colors range from dark (none) to yellow (the maximum of the row). The labeled image
/// comes first, then the maps.
Picture work_picture(const Picture& image, const std::vector<WorkMap>& maps);

}  // namespace gpuccl::bench
