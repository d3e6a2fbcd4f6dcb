#pragma once

#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// Returns the head of every report: how the figures were measured.
/// Each line is one statement.
std::vector<std::string> measurement_notes(const Results& results);

}  // namespace gpuccl::bench
