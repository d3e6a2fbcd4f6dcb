#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

enum Axis : std::size_t { x, y, z };

/// Eigenvalues below this fraction of the largest one are rounding errors.
constexpr double kNoise = 16 * std::numeric_limits<double>::epsilon();

/// Returns the eigenvalues in descending order, none below 0.
std::array<double, 2> eigenvalues_2d(const Covariance& of) {
  const double half = (of[x][x] - of[y][y]) / 2, mean = (of[x][x] + of[y][y]) / 2;
  const double reach = length_of(half, of[x][y]), larger = mean + reach;
  if (!(larger > 0)) return {0, 0};
  // The smaller eigenvalue follows from the determinant, because a difference would cancel its digits.
  const double product = of[x][x] / larger * of[y][y], smaller = product - of[x][y] / larger * of[x][y];
  return {larger, smaller > kNoise * product ? smaller : 0};
}

/// Computes eigenvalues by Jacobi rotations.
std::array<double, 3> eigenvalues_3d(Covariance of) {
  constexpr int kEnough = 30;
  for (int sweep = 0; sweep < kEnough; ++sweep) {
    const double beside = std::abs(of[x][y]) + std::abs(of[x][z]) + std::abs(of[y][z]);
    if (beside == 0) break;
    for (const auto& [p, q] : {std::array<std::size_t, 2>{x, y}, {x, z}, {y, z}}) {
      if (of[p][q] == 0) continue;
      const double theta = (of[q][q] - of[p][p]) / (2 * of[p][q]);
      const double tangent = std::copysign(1.0, theta) / (std::abs(theta) + length_of(theta, 1.0));
      const double cosine = 1 / length_of(tangent, 1.0), sine = tangent * cosine;
      const double turned = tangent * of[p][q];
      of[p][p] -= turned;
      of[q][q] += turned;
      of[p][q] = of[q][p] = 0;
      const std::size_t r = 3 - p - q;
      const double at_p = of[r][p], at_q = of[r][q];
      of[r][p] = of[p][r] = cosine * at_p - sine * at_q;
      of[r][q] = of[q][r] = sine * at_p + cosine * at_q;
    }
  }
  std::array<double, 3> values = {of[x][x], of[y][y], of[z][z]};
  std::sort(values.begin(), values.end(), std::greater<>());
  for (double& value : values) value = value > kNoise * values[0] ? value : 0;
  return values;
}

/// Returns the ratio of two axes from their squared lengths.
double ratio(double longer, double shorter) {
  return shorter > 0 ? std::sqrt(longer / shorter) : std::numeric_limits<double>::quiet_NaN();
}
double eccentricity_of(const std::array<double, 2>& variances) {
  return variances[0] > 0 ? std::sqrt(std::max(0.0, 1 - variances[1] / variances[0])) : 0;
}

double axis_2d(double variance) { return 4 * std::sqrt(variance); }
double axis_3d(double variance) { return std::sqrt(20 * variance); }

}  // namespace

void derive_ellipse(const Covariance& of, MeasureValues& values) {
  values[inertia_tensor_0_0] = of[x][x];
  values[inertia_tensor_0_1] = -of[x][y];
  values[inertia_tensor_1_1] = of[y][y];
  const std::array<double, 2> variances = eigenvalues_2d(of);
  values[inertia_tensor_eigvals_0] = variances[0];
  values[inertia_tensor_eigvals_1] = variances[1];
  values[axis_major_length] = axis_2d(variances[0]);
  values[axis_minor_length] = axis_2d(variances[1]);
  values[eccentricity] = eccentricity_of(variances);
  values[elongation] = ratio(variances[0], variances[1]);
  const double wider = of[y][y] - of[x][x];
  values[orientation] =
      wider == 0 && of[x][y] == 0 ? -std::numbers::pi / 4 : std::atan2(2 * of[x][y], wider) / 2;
}

void derive_ellipsoid(const Covariance& of, MeasureValues& values) {
  values[inertia_tensor_0_0] = of[x][x] + of[y][y];
  values[inertia_tensor_0_1] = -of[y][z];
  values[inertia_tensor_0_2] = -of[x][z];
  values[inertia_tensor_1_1] = of[x][x] + of[z][z];
  values[inertia_tensor_1_2] = -of[x][y];
  values[inertia_tensor_2_2] = of[y][y] + of[z][z];
  const std::array<double, 3> variances = eigenvalues_3d(of);
  values[inertia_tensor_eigvals_0] = variances[0] + variances[1];
  values[inertia_tensor_eigvals_1] = variances[0] + variances[2];
  values[inertia_tensor_eigvals_2] = variances[1] + variances[2];
  values[axis_major_length] = axis_3d(variances[0]);
  values[axis_middle_length] = axis_3d(variances[1]);
  values[axis_minor_length] = axis_3d(variances[2]);
  values[elongation] = ratio(variances[0], variances[1]);
  values[flatness] = ratio(variances[1], variances[2]);
}

void derive_physical_ellipse(const Covariance& of, MeasureValues& values) {
  const std::array<double, 2> variances = eigenvalues_2d(of);
  values[axis_major_length_physical] = axis_2d(variances[0]);
  values[axis_minor_length_physical] = axis_2d(variances[1]);
  values[elongation_physical] = ratio(variances[0], variances[1]);
}

void derive_physical_ellipsoid(const Covariance& of, MeasureValues& values) {
  const std::array<double, 3> variances = eigenvalues_3d(of);
  values[axis_major_length_physical] = axis_3d(variances[0]);
  values[axis_middle_length_physical] = axis_3d(variances[1]);
  values[axis_minor_length_physical] = axis_3d(variances[2]);
  values[elongation_physical] = ratio(variances[0], variances[1]);
  values[flatness_physical] = ratio(variances[1], variances[2]);
}

}  // namespace gpuccl::measuring
