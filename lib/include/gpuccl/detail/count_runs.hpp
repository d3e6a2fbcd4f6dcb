#pragma once

#include <cstdint>

#include "gpuccl/image.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Number of foreground runs of an image.
struct RunCounts {
  std::int64_t all = 0;
  std::int64_t most_in_row = 0;
};

/// Counts runs, using all threads.
RunCounts count_runs(BitView image);

}  // namespace gpuccl
#pragma GCC visibility pop
