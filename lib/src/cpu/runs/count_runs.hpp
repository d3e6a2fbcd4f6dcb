#pragma once

#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/strips.hpp"

namespace gpuccl::cpu {

/// Returns the number of runs before each bundle, and the number of all runs at the end. Error (data) if
/// there are more than 2^32 - 1.
std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips);

}  // namespace gpuccl::cpu
