#pragma once

#include <string>
#include <vector>

#include "app/bench/results.hpp"
#include "app/bench/table.hpp"

namespace gpuccl::bench {

/// The results as tables, in the shape that suits the experiment.
std::vector<Table> tables(const Results& results);

}  // namespace gpuccl::bench
