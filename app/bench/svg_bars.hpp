#pragma once

#include <string>

#include "app/bench/chart.hpp"

namespace gpuccl::bench {

/// Bars on a linear axis, in groups by place.
std::string bars(const Chart& chart);

/// A bar for each place, of phases by their roles.
std::string stacked_bars(const Chart& chart);

}  // namespace gpuccl::bench
