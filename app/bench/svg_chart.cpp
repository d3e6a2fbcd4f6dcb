#include "app/bench/svg_chart.hpp"

#include "app/bench/svg_bars.hpp"
#include "app/bench/svg_curves.hpp"

namespace gpuccl::bench {

std::string as_svg(const Chart& chart) {
  switch (chart.kind) {
    case ChartKind::curves:
      return curves(chart);
    case ChartKind::bars:
      return bars(chart);
    case ChartKind::stacked_bars:
      break;
  }
  return stacked_bars(chart);
}

}  // namespace gpuccl::bench
