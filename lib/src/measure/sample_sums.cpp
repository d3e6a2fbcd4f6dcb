#include "measure/sample_sums.hpp"

#include <cmath>
#include <limits>

namespace gpuccl::measuring {

double number_or_none(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

void put_sums(double sum, const std::array<double, 3>& moments, MeasureValues& values) {
  using enum MeasureId;
  values[intensity_sum] = number_or_none(sum);
  const MeasureId centroid[] = {cx_weighted, cy_weighted, cz_weighted};
  for (std::size_t axis = 0; axis < 3; ++axis) values[centroid[axis]] = number_or_none(moments[axis] / sum);
}

}  // namespace gpuccl::measuring
