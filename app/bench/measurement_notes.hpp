#pragma once

#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// What the head of every report says, so that no figure is without how it was measured: one statement a
/// line.
std::vector<std::string> measurement_notes(const Results& results);

}  // namespace gpuccl::bench
