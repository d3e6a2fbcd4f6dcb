#pragma once

#include <memory>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

/// `runs` with a given number of strips; 0: as many as suit the number of threads. Labels are the same.
std::unique_ptr<Labeler> make_runs_in_strips(Connectivity connectivity, int strips);

}  // namespace gpuccl::cpu
