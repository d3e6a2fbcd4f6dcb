#pragma once

#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

// Counts of runs, and bounds of components derived from them, for estimates of memory.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Number of foreground runs of an image.
struct RunCounts {
  std::int64_t all = 0;
  std::int64_t most_in_row = 0;
};

/// Counts runs, using all threads.
RunCounts count_runs(BitView image);

/// Returns an upper bound of the number of components, using all threads. A component begins with a run
/// that touches no run in the row above, and in a volume none in that row of the previous slice. Time:
/// O(elements / 64).
std::int64_t most_components(BitView image, Connectivity connectivity);
/// Returns the same bound for components of equal values, or of nearly equal ones: the number of runs that
/// connect to no run in these rows. Time: O(runs), with a delta O(elements).
std::int64_t most_components(const ValueImage& image, Connectivity connectivity);

}  // namespace gpuccl
#pragma GCC visibility pop
