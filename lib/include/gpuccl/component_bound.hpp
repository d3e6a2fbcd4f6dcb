#pragma once

#include <cstdint>

#include "gpuccl/bit_volume.hpp"
#include "gpuccl/connectivity.hpp"

namespace gpuccl {

/// No image has more components than this: none has its first element anywhere else than where a run begins
/// that touches nothing in the row above, and in a volume nothing in that row of the slice before. By all
/// threads.
std::int64_t most_components(BitView image, Connectivity connectivity);

}  // namespace gpuccl
