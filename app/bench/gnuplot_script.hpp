#pragma once

#include <string>

#include "app/bench/chart.hpp"

namespace gpuccl::bench {

/// The program by which gnuplot draws chart `number` as SVG on its standard output.
std::string gnuplot_script(const Chart& chart, int number);

}  // namespace gpuccl::bench
