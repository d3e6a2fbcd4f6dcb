#pragma once

#include <cstdint>

#include "gpuccl/bit_volume.hpp"

namespace gpuccl {

/// How many runs of foreground an image has, row by row.
struct RunCounts {
  std::int64_t all = 0;
  std::int64_t most_in_row = 0;
};

/// By all threads.
RunCounts count_runs(BitView image);

}  // namespace gpuccl
