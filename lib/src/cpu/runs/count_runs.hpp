#pragma once

#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/strips.hpp"

namespace gpuccl::cpu {

/// How many runs lie in bundles before each bundle; and the number of all runs at the end. Error (data) if
/// they are more than 2^32 - 1.
std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips);

}  // namespace gpuccl::cpu
