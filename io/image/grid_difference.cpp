#include "io/image/grid_difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gpuccl::io {
namespace {

constexpr double kSameShare = 1e-3;   // of an element
constexpr double kRoundedOff = 1e-6;  // share of a coordinate that is stored in 32 bits

double length_of_step(const Vector3& step) { return std::hypot(step[0], step[1], step[2]); }

bool points_elsewhere(const Vector3& one, const Vector3& other) {
  const double length = length_of_step(one), other_length = length_of_step(other);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::abs(one[axis] / length - other[axis] / other_length) > kSameShare) return true;
  return false;
}

}  // namespace

std::string_view grid_difference(const Geometry& one, const Geometry& other, const Extent& extent) {
  const bool have_units = one.unit != LengthUnit::unknown && other.unit != LengthUnit::unknown;
  const Geometry its = have_units ? in_unit(other, one.unit) : other;
  const int sizes[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = one.spacing[i], b = its.spacing[i];
    if (sizes[i] > 1 && is_spacing(a) && is_spacing(b) && std::abs(a - b) > kSameShare * std::max(a, b))
      return "spacing";
  }
  if (!one.orientation || !its.orientation) return "";
  const Orientation a = in_lps(*one.orientation), b = in_lps(*its.orientation);
  double element = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    if (sizes[i] > 1 && points_elsewhere(a.steps[i], b.steps[i])) return "direction";
    element = std::min(element, length_of_step(a.steps[i]));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double x = a.origin[axis], y = b.origin[axis];
    if (std::abs(x - y) > kSameShare * element + kRoundedOff * std::max(std::abs(x), std::abs(y)))
      return "origin";
  }
  return "";
}

}  // namespace gpuccl::io
