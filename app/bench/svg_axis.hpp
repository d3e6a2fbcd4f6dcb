#pragma once

#include <vector>

namespace gpuccl::bench {

/// A scale from values to pixels, with the values that are marked on it.
struct ChartAxis {
  bool logarithmic = false;
  double least = 0, most = 1;  // of the values
  double from = 0, to = 1;     // in pixels
  std::vector<double> ticks;

  double at(double value) const;
};

/// From 0, or from `least`, to a little beyond `most`, with about `count` round ticks.
ChartAxis linear(double least, double most, int count, double from, double to);

/// Ticks at 1, 2 and 5 of each power of ten, or at the powers alone where these are many.
ChartAxis logarithmic(double least, double most, double from, double to);

}  // namespace gpuccl::bench
