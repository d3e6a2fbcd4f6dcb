#pragma once

#include <array>
#include <cstdint>

#include "common/object_runs.hpp"

namespace gpuccl {

/// Divides predicted runs among the true objects: each element goes to the nearest object, of several the
/// first. Object i of the result has the elements nearest to truth[i]; `truth` has at least one element.
/// Exact: nearest objects axis by axis, as in a distance transform, ties included. `spacing` is in the axes
/// of runs. Holds the columns of some slices at a time. Throws Error (memory) if that takes more than
/// `max_bytes`.
RunsOfObjects divide_by_nearest(const Pieces& truth, const Pieces& prediction,
                                const std::array<double, 3>& spacing, std::int64_t max_bytes);

}  // namespace gpuccl
