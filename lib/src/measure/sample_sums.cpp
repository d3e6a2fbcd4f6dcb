#include "measure/sample_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// The quotient, rounded to the nearest.
WholeNumber nearest_quotient(WholeNumber sum, std::uint64_t count) {
  const WholeNumber twice = 2 * sum + (sum < 0 ? -1 : 1) * WholeNumber{count};
  return twice / (2 * WholeNumber{count});
}

}  // namespace

double number_or_none(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

void put_sums(double sum, const std::array<double, 3>& moments, MeasureValues& values) {
  values[intensity_sum] = number_or_none(sum);
  const MeasureId centroid[] = {cx_weighted, cy_weighted, cz_weighted};
  for (std::size_t axis = 0; axis < 3; ++axis)  // a number by infinity is 0, and no centroid
    values[centroid[axis]] = number_or_none(std::isfinite(sum) ? moments[axis] / sum : sum);
}

WholeMean::WholeMean(WholeNumber sum, std::uint64_t count)
    : middle(nearest_quotient(sum, count)),
      off(static_cast<double>(sum - middle * WholeNumber{count}) / static_cast<double>(count)) {}

void put_whole(WholeNumber min, WholeNumber max, const WholeMean& mean, double variance,
               MeasureValues& values) {
  values.set_whole(intensity_min, min);
  values.set_whole(intensity_max, max);
  values[intensity_mean] = static_cast<double>(mean.middle) + mean.off;
  values[intensity_std] = std::sqrt(std::max(0.0, variance - mean.off * mean.off));
}

}  // namespace gpuccl::measuring
