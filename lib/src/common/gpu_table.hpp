#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// Gives the factories of the GPU algorithm `name`, one for each of `connectivities` and in their order;
/// none to leave out the row.
using MakersOf = std::vector<MakeLabeler> (*)(const std::string& name,
                                              const std::vector<Connectivity>& connectivities);

/// The GPU rows of the table. Here, and not with the kernels, because builds without CUDA have them too.
std::vector<Algorithm> gpu_table(MakersOf makers_of);

}  // namespace gpuccl
