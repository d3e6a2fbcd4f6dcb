#pragma once

#include <string>

#include "app/bench/chart.hpp"

namespace gpuccl::bench {

/// Curves over the places of an axis. Each has a colour, mark and dash of its own.
std::string curves(const Chart& chart);

}  // namespace gpuccl::bench
