#pragma once

#include <array>

#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// Samples [begin, begin + count) of row y of slice z, all of one component.
struct SampleRun {
  int begin, y, z, count;
  const double* samples;
};

__extension__ typedef __int128 WholeSum;

double number_or_none(double value);

/// What of a sum and its moments does not depend on how they were summed.
void put_sums(double sum, const std::array<double, 3>& moments, MeasureValues& values);

}  // namespace gpuccl::measuring
