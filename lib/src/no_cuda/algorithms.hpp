#pragma once

#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::no_cuda {

/// What the table of a build with CUDA holds, in the same order; the makers throw Error (unavailable).
/// A test of builds with CUDA compares the two.
std::vector<Algorithm> algorithms();

}  // namespace gpuccl::no_cuda
