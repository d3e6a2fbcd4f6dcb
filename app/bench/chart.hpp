#pragma once

#include <string>
#include <vector>

#include "app/bench/series.hpp"

namespace gpuccl::bench {

enum class ChartKind { curves, bars, stacked_bars };

struct Chart {
  ChartKind kind = ChartKind::curves;  // need numbers along the axis, two at least
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  std::string unit;  // of the values
  std::string note;  // what the chart shows, as a sentence or two
  SeriesSet data;
};

/// The charts that suit the experiment: bars by dataset, stacked phases, curves by density, granularity,
/// size.
std::vector<Chart> charts(const Results& results);

}  // namespace gpuccl::bench
