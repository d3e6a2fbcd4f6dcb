#pragma once

#include <string>

#include "app/bench/chart.hpp"

namespace gpuccl::bench {

/// The chart as an SVG element that needs nothing from elsewhere and follows the reader's choice of light or
/// dark. Series differ in colour, mark and dash.
std::string as_svg(const Chart& chart);

}  // namespace gpuccl::bench
