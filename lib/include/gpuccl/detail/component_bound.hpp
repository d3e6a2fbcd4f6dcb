#pragma once

#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Returns an upper bound of the number of components, using all threads. A component begins with a run
/// that touches no run in the row above, and in a volume none in that row of the previous slice. Time:
/// O(elements / 64).
std::int64_t most_components(BitView image, Connectivity connectivity);
/// Returns the same bound for components of equal values, or of nearly equal ones: the number of runs that
/// connect to no run in these rows. Time: O(runs), with a delta O(elements).
std::int64_t most_components(const ValueImage& image, Connectivity connectivity);

}  // namespace gpuccl
#pragma GCC visibility pop
