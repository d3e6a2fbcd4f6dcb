#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

// Counts of runs, bounds of components derived from them for estimates of memory, and first elements.
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

/// Returns for the labels 0 to `count` the smallest index of their elements, where index (x, y, z) is
/// x * steps[0] + y * steps[1] + z * steps[2]. Uses all threads. `components`: those of the labels, or none.
/// `map`: as in LabelRows::render(). All labels except 0 occur.
std::vector<std::uint64_t> first_elements(const LabelRows& labels, const Components& components, Label count,
                                          const std::array<std::uint64_t, 3>& steps, const Label* map);

}  // namespace gpuccl
#pragma GCC visibility pop
