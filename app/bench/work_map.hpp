#pragma once

#include <cstdint>
#include <vector>

#include "app/bench/results.hpp"
#include "gpuccl/bit_volume.hpp"

namespace gpuccl::bench {

/// Rows of RGB.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// What thread blocks did on `image`, one pixel a thread block: above, the steps of the longest walk, below,
/// atomic operations, each from dark for none to yellow for the most in its row. From left to right the
/// image, as light as a block has foreground, then the maps. Of a volume, slices go downwards.
Picture work_picture(BitView image, const std::vector<WorkMap>& maps);

}  // namespace gpuccl::bench
