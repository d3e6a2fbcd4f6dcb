#pragma once

#include <cstdint>
#include <vector>

#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// Consecutive bundles that one task works on; whole groups.
struct Strip {
  std::int64_t begin, end;
};

/// About `wanted` strips of equal height; 0 lets the number of threads and the size of the image decide.
std::vector<Strip> cut_into_strips(const Bundles& bundles, int wanted);

}  // namespace gpuccl::cpu
