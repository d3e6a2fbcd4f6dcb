#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// Returns the variants of the GPU algorithm `name`, one for each of `connectivities`; none to omit the
/// row.
using VariantsOf = std::vector<Variant> (*)(const std::string& name,
                                            const std::vector<Connectivity>& connectivities);

/// Returns the GPU rows of the table (gpu_algorithms.def). Throws std::logic_error if a row has other
/// connectivities than its variants.
std::vector<Algorithm> gpu_table(VariantsOf variants_of);

}  // namespace gpuccl
