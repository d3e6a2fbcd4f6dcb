#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// Gives what makes the labelers of the GPU algorithm `name`, which labels `connectivities`; nothing to leave
/// out the row.
using VariantsOf = std::vector<Variant> (*)(const std::string& name,
                                            const std::vector<Connectivity>& connectivities);

/// The GPU rows of the table (gpu_algorithms.def). Throws std::logic_error if a row has other connectivities
/// than its variants.
std::vector<Algorithm> gpu_table(VariantsOf variants_of);

}  // namespace gpuccl
