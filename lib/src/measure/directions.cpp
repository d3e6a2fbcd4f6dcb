#include "measure/directions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace gpuccl::measuring {
namespace {

using std::numbers::pi;
using Vector = std::array<double, 3>;

Vector scaled(const Vector& a, double factor) { return {a[0] * factor, a[1] * factor, a[2] * factor}; }
Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector unit(const Vector& a) { return scaled(a, 1 / std::sqrt(dot(a, a))); }

Vector step(const Direction& direction, const Vector& spacing) {
  return {direction.dx * spacing[0], direction.dy * spacing[1], direction.dz * spacing[2]};
}

/// Share of the circle that is nearer to `own` and its opposite than to any other.
double share_of_circle(const Vector& own, const std::vector<Vector>& all) {
  const auto angle_to = [&](const Vector& other) {  // 0 to pi, as of lines
    return std::fmod(std::atan2(other[1], other[0]) - std::atan2(own[1], own[0]) + 2 * pi, pi);
  };
  double next = pi, last = 0;
  for (const Vector& other : all) {
    if (other == own) continue;
    next = std::min(next, angle_to(other));
    last = std::max(last, angle_to(other));
  }
  return (next + pi - last) / 2 / pi;
}

/// The part of a polygon on the positive side of a plane through the origin.
std::vector<Vector> clipped(const std::vector<Vector>& polygon, const Vector& normal) {
  std::vector<Vector> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double side_a = dot(a, normal), side_b = dot(b, normal);
    if (side_a >= 0) kept.push_back(a);
    if ((side_a > 0 && side_b < 0) || (side_a < 0 && side_b > 0))
      kept.push_back(sum(a, scaled(sum(b, scaled(a, -1)), side_a / (side_a - side_b))));
  }
  return kept;
}

/// Area of a triangle on the unit sphere. A. van Oosterom and J. Strackee, 1983.
double solid_angle(const Vector& a, const Vector& b, const Vector& c) {
  return 2 * std::atan2(std::abs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// Share of the sphere that is nearer to `own` and its opposite than to any other.
double share_of_sphere(const Vector& own, const std::vector<Vector>& all) {
  // A square that touches the sphere in `own`: all that is nearest lies behind it, for it is no further than
  // what is nearest to one of three axes.
  constexpr double kHalfSide = 2;
  const Vector across = unit(cross(own, std::abs(own[0]) < 0.5 ? Vector{1, 0, 0} : Vector{0, 1, 0}));
  const Vector along = cross(own, across);
  std::vector<Vector> cell;
  for (const auto& [s, t] : {std::array{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
    cell.push_back(sum(own, sum(scaled(across, s * kHalfSide), scaled(along, t * kHalfSide))));
  for (const Vector& other : all) {
    if (other == own) continue;
    cell = clipped(cell, sum(own, scaled(other, -1)));
    cell = clipped(cell, sum(own, other));
  }
  double area = 0;
  for (std::size_t i = 0; i < cell.size(); ++i)
    area += solid_angle(own, unit(cell[i]), unit(cell[(i + 1) % cell.size()]));
  return 2 * area / (4 * pi);
}

}  // namespace

std::vector<double> crofton_weights(bool is_volume, const std::array<double, 3>& spacing) {
  std::vector<Vector> steps, units;
  const auto add = [&](const Direction& direction) {
    steps.push_back(step(direction, spacing));
    units.push_back(unit(steps.back()));
  };
  if (is_volume) {
    std::for_each(std::begin(kDirectionsOfVolume), std::end(kDirectionsOfVolume), add);
  } else {
    std::for_each(std::begin(kDirectionsOfImage), std::end(kDirectionsOfImage), add);
  }
  const double element = spacing[0] * spacing[1] * (is_volume ? spacing[2] : 1);
  std::vector<double> weights;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double density = element / std::sqrt(dot(steps[i], steps[i]));
    weights.push_back(
        density * (is_volume ? 4 * share_of_sphere(units[i], units) : pi * share_of_circle(units[i], units)));
  }
  return weights;
}

}  // namespace gpuccl::measuring
