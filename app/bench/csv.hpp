#pragma once

#include <string>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// One line a measure of an algorithm on a group; the first line names the columns.
std::string as_csv(const Results& results);

}  // namespace gpuccl::bench
