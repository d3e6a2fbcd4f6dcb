#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/picture.hpp"
#include "app/bench/results.hpp"
#include "gpuccl/bit_volume.hpp"

namespace gpuccl::bench {

/// What a thread block did: &BlockWork::longest or &BlockWork::atomics.
using WorkFigure = std::uint32_t BlockWork::*;

/// The most that a thread block of any of the maps did, 1 at least.
std::uint32_t most_of(const std::vector<WorkMap>& maps, WorkFigure figure);

/// `image` in the grid of a map, one pixel a thread block, as light as a block has foreground. Of a volume,
/// slices go downwards.
Picture mapped_image(BitView image, const WorkMap& map);

/// What thread blocks did, one pixel a thread block: above, the steps of the longest walk, below, atomic
/// operations, each from dark for none to yellow for the most in its row. From left to right the image that
/// was labeled, then the maps.
Picture work_picture(const Picture& image, const std::vector<WorkMap>& maps);

/// The same as a chart with names and scales, as an SVG element that needs nothing from elsewhere; "" if the
/// results have no maps.
std::string work_chart(const Results& results);

}  // namespace gpuccl::bench
