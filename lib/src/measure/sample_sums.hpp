#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// Samples [begin, begin + count) of row y of slice z, all of one component.
template <class Sample>
struct SampleRun {
  int begin, y, z, count;
  const Sample* samples;
};

double number_or_none(double value);

/// Derives the values that do not depend on how a sum and its moments were computed.
void put_sums(double sum, const std::array<double, 3>& moments, MeasureValues& values);

/// The mean of integers: the one next to it, and how far from that it is.
struct WholeMean {
  WholeMean(WholeNumber sum, std::uint64_t count);

  WholeNumber middle;
  double off;
};

/// Measures of integers that put_sums() does not put; `variance`: around the middle, not the mean.
void put_whole(WholeNumber min, WholeNumber max, const WholeMean& mean, double variance,
               MeasureValues& values);

}  // namespace gpuccl::measuring
