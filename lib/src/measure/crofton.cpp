#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "common/fastest_code.hpp"
#include "common/shape.hpp"
#include "measure/group.hpp"
#include "measure/neighbors.hpp"
#include "measure/shape_formulas.hpp"

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

/// Returns the fraction of the circle that is nearer to `own` and its opposite than to any other direction.
double share_of_circle(const Vector& own, const std::vector<Vector>& all) {
  const auto angle_to = [&](const Vector& other) {  // between lines: 0 to pi
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

/// Returns the part of a polygon on the positive side of a plane through the origin.
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

/// Returns the area of a triangle on the unit sphere (A. van Oosterom and J. Strackee, 1983).
double solid_angle(const Vector& a, const Vector& b, const Vector& c) {
  return 2 * std::atan2(std::abs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// Returns the fraction of the sphere that is nearer to `own` and its opposite than to any other direction.
double share_of_sphere(const Vector& own, const std::vector<Vector>& all) {
  // Begins with a square that touches the sphere in `own`. It covers the cell, whose points are not farther
  // from `own` than points nearest to one of the three axes.
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

/// Returns the contribution of one intercept along each direction to the perimeter (2D) or surface area (3D)
/// by Crofton's formula: the density of lines, weighted by the fraction of all directions that are nearest to
/// this one.
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

using enum MeasureId;

class Crofton final : public Group {
 public:
  explicit Crofton(const MeasureContext& labeling)
      : connectivity_(connectivity_around(labeling)),
        formulas_(labeling.is_volume(), labeling.request.spacing) {}

  std::size_t words() const override { return static_cast<std::size_t>(formulas_.directions()); }
  int SumsLayout::*place() const override { return &SumsLayout::crofton; }
  bool looks_around() const override { return true; }

  void add(const LabeledRow& row) override {
    cpu::with_connectivity(connectivity_, [&]<Connectivity one>() {
      if constexpr (is_3d(one))
        add_pairs<kDirectionsOfVolume, max_axes(one)>(row);
      else
        add_pairs<kDirectionsOfImage, max_axes(one)>(row);
    });
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    formulas_.derive(sums.component.area, sums.sums, values);
  }

 private:
  template <const auto& directions, int reach>
  void add_pairs(const LabeledRow& row) const {
    by_fastest_counting([&] {
      for (const Segment& segment : row.segments) {
        std::array<std::uint64_t, std::size(directions)> pairs{};
        segment.for_each_word([&](int word, Word mask) {
          for_each_direction<directions, reach>(
              row, word, mask, segment.label, [&](std::size_t i, Word joined) {
                pairs[i] += static_cast<std::uint64_t>(std::popcount(joined));
              });
        });
        for (std::size_t i = 0; i < pairs.size(); ++i) segment.sums[offset + i] += pairs[i];
      }
    });
  }

  Connectivity connectivity_;
  CroftonFormulas formulas_;
};

}  // namespace

CroftonFormulas::CroftonFormulas(bool of_volumes, const std::array<double, 3>& spacing)
    : is_volume(of_volumes), weights{}, physical_weights{}, element(0) {
  static const std::vector<double> kOfUnits[] = {crofton_weights(false, {1, 1, 1}),
                                                 crofton_weights(true, {1, 1, 1})};
  std::copy(kOfUnits[is_volume].begin(), kOfUnits[is_volume].end(), weights);
  if (spacing[0] == 0) return;
  const std::vector<double> physical = crofton_weights(is_volume, spacing);
  std::copy(physical.begin(), physical.end(), physical_weights);
  element = spacing[0] * spacing[1] * (is_volume ? spacing[2] : 1);
}

std::unique_ptr<Group> make_crofton(const MeasureContext& labeling) {
  if (labeling.is_volume()
          ? !wants(labeling, {surface_crofton, surface_crofton_3, sphericity, surface_crofton_physical,
                              sphericity_physical})
          : !wants(labeling, {perimeter_crofton, roundness, perimeter_crofton_physical, roundness_physical}))
    return nullptr;
  return std::make_unique<Crofton>(labeling);
}

}  // namespace gpuccl::measuring
