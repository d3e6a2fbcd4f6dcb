#include "app/bench/svg_axis.hpp"

#include <algorithm>
#include <cmath>

namespace gpuccl::bench {

double ChartAxis::at(double value) const {
  const auto place = [&](double v) { return logarithmic ? std::log10(v) : v; };
  const double share = (place(value) - place(least)) / (place(most) - place(least));
  return from + (to - from) * share;
}

ChartAxis linear(double least, double most, int count, double from, double to) {
  if (!(most > least)) most = least + 1;
  const double rough = (most - least) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  ChartAxis axis{false, least, most, from, to, {}};
  for (double i = std::max(0.0, std::ceil(least / step - 1e-9)); i * step <= most * (1 + 1e-9); ++i)
    axis.ticks.push_back(i * step);
  return axis;
}

ChartAxis logarithmic(double least, double most, double from, double to) {
  least /= 1.1;
  most *= 1.1;
  ChartAxis axis{true, least, most, from, to, {}};
  const int first = static_cast<int>(std::floor(std::log10(least)));
  const int last = static_cast<int>(std::ceil(std::log10(most)));
  for (int power = first; power <= last; ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if (tick >= least && tick <= most && (factor == 1.0 || last - first <= 4)) axis.ticks.push_back(tick);
    }
  return axis;
}

}  // namespace gpuccl::bench
