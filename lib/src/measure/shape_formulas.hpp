#pragma once

#include <cstdint>
#include <limits>
#include <numbers>

#include "gpuccl/measures.hpp"
#include "measure/arithmetic.hpp"
#include "measure/derived.hpp"
#include "measure/neighbors.hpp"

// Formulas of measures of shape, topology and border, for the CPU and for kernels, as those of derived.hpp.
namespace gpuccl::measuring {

/// Second central moments along x, y, z, divided by the number of elements.
struct Covariance {
  double at[3][3] = {};

  GPUCCL_HD double* operator[](int axis) { return at[axis]; }
  GPUCCL_HD const double* operator[](int axis) const { return at[axis]; }
};

/// Variances along the axes of the ellipse or ellipsoid with the same moments, in descending order, none
/// below 0. In 2D there are two.
struct AxisVariances {
  double at[3] = {};

  /// Values below this fraction of the largest one are rounding errors.
  static constexpr double kNoise = 16 * std::numeric_limits<double>::epsilon();

  GPUCCL_HD static AxisVariances in_image(const Covariance& of) {
    const double half = (of[0][0] - of[1][1]) / 2, mean = (of[0][0] + of[1][1]) / 2;
    const double reach = length_of(half, of[0][1]), larger = mean + reach;
    if (!(larger > 0)) return {};
    // The smaller eigenvalue follows from the determinant, because a difference would cancel its digits.
    const double product = of[0][0] / larger * of[1][1], smaller = product - of[0][1] / larger * of[0][1];
    return {{larger, smaller > kNoise * product ? smaller : 0}};
  }

  /// Computes eigenvalues by Jacobi rotations.
  GPUCCL_HD static AxisVariances in_volume(Covariance of) {
    constexpr int kEnough = 30;
    for (int sweep = 0; sweep < kEnough; ++sweep) {
      if (std::fabs(of[0][1]) + std::fabs(of[0][2]) + std::fabs(of[1][2]) == 0) break;
      rotate(of, 0, 1);
      rotate(of, 0, 2);
      rotate(of, 1, 2);
    }
    AxisVariances values{{of[0][0], of[1][1], of[2][2]}};
    values.order(0, 1);
    values.order(1, 2);
    values.order(0, 1);
    for (double& value : values.at) value = value > kNoise * values.at[0] ? value : 0;
    return values;
  }

  /// Returns the longer of two axes, `i` and the next one, divided by the shorter.
  GPUCCL_HD double ratio(int i) const { return at[i + 1] > 0 ? std::sqrt(at[i] / at[i + 1]) : kNoValue; }
  GPUCCL_HD double eccentricity() const {
    const double square = at[0] > 0 ? 1 - at[1] / at[0] : 0;
    return square > 0 ? std::sqrt(square) : 0;
  }

 private:
  GPUCCL_HD static void rotate(Covariance& of, int p, int q) {
    if (of[p][q] == 0) return;
    const double theta = (of[q][q] - of[p][p]) / (2 * of[p][q]);
    const double tangent = std::copysign(1.0, theta) / (std::fabs(theta) + length_of(theta, 1.0));
    const double cosine = 1 / length_of(tangent, 1.0), sine = tangent * cosine;
    const double turned = tangent * of[p][q];
    of[p][p] -= turned;
    of[q][q] += turned;
    of[p][q] = of[q][p] = 0;
    const int r = 3 - p - q;
    const double at_p = of[r][p], at_q = of[r][q];
    of[r][p] = of[p][r] = cosine * at_p - sine * at_q;
    of[r][q] = of[q][r] = sine * at_p + cosine * at_q;
  }
  GPUCCL_HD void order(int first, int second) {
    const double a = at[first], b = at[second];
    if (a < b) at[first] = b, at[second] = a;
  }
};

/// Returns the moment about the centroid from the sum of products of coordinates along axes a and b. Integer
/// sums are about the element next to the centroid, so the floating-point correction is small. `Product`:
/// wide enough for coordinates relative to the corner of the bounding box; sums are modulo its range. `sum`:
/// of coordinates.
template <class Product, class Sum>
GPUCCL_HD double central_moment(std::uint64_t elements, const int* min, const Sum* sum, Product product,
                                int a, int b) {
  const auto corner = [&](int axis) { return static_cast<Product>(min[axis]); };
  const auto all = [&](int axis) { return static_cast<Product>(sum[axis]); };
  const auto in_box = static_cast<WholeNumber>(product - corner(a) * all(b) - corner(b) * all(a) +
                                               static_cast<Product>(elements) * corner(a) * corner(b));
  const auto area = static_cast<WholeNumber>(elements);
  const auto from_corner = [&](int axis) { return static_cast<WholeNumber>(sum[axis]) - area * min[axis]; };
  const WholeNumber sum_a = from_corner(a), sum_b = from_corner(b);
  const WholeNumber mean_a = (2 * sum_a + area) / (2 * area), mean_b = (2 * sum_b + area) / (2 * area);
  const WholeNumber whole = in_box - mean_a * sum_b - mean_b * sum_a + area * mean_a * mean_b;
  return static_cast<double>(whole) - static_cast<double>(sum_a - area * mean_a) *
                                          static_cast<double>(sum_b - area * mean_b) /
                                          static_cast<double>(area);
}

/// Measures that second moments determine.
struct MomentFormulas {
  bool is_volume;
  double spacing[3];

  /// `product(i)`: sums of products of coordinates, in the order of SumsLayout::moments. Others as
  /// central_moment().
  template <class Sum, class Product, class Values>
  GPUCCL_HD void derive(std::uint64_t elements, const int* min, const Sum* sum, const Product& product,
                        Values& values) const {
    using enum MeasureId;
    constexpr MeasureId kInImages[] = {moments_central_0_2, moments_central_1_1, moments_central_2_0},
                        kInVolumes[] = {moments_central_0_0_2, moments_central_0_1_1, moments_central_0_2_0,
                                        moments_central_1_0_1, moments_central_1_1_0, moments_central_2_0_0};
    Covariance covariance;
    int i = 0;
    for (int b = 0; b < (is_volume ? 3 : 2); ++b)
      for (int a = 0; a <= b; ++a, ++i) {
        const double moment = central_moment(elements, min, sum, product(i), a, b);
        values[is_volume ? kInVolumes[i] : kInImages[i]] = moment;
        covariance[a][b] = covariance[b][a] = moment / static_cast<double>(elements);
      }
    if (is_volume)
      put_inertia_of_volume(covariance, values);
    else
      put_inertia_of_image(covariance, values);
    if (spacing[0] == 0) return;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) covariance[a][b] *= spacing[a] * spacing[b];
    put_axes(is_volume ? AxisVariances::in_volume(covariance) : AxisVariances::in_image(covariance), true,
             values);
  }

 private:
  template <class Values>
  GPUCCL_HD void put_inertia_of_image(const Covariance& of, Values& values) const {
    using enum MeasureId;
    values[inertia_tensor_0_0] = of[0][0];
    values[inertia_tensor_0_1] = -of[0][1];
    values[inertia_tensor_1_1] = of[1][1];
    const AxisVariances variances = AxisVariances::in_image(of);
    values[inertia_tensor_eigvals_0] = variances.at[0];
    values[inertia_tensor_eigvals_1] = variances.at[1];
    put_axes(variances, false, values);
    values[eccentricity] = variances.eccentricity();
    const double wider = of[1][1] - of[0][0];
    values[orientation] =
        wider == 0 && of[0][1] == 0 ? -std::numbers::pi / 4 : angle_of(2 * of[0][1], wider) / 2;
  }
  template <class Values>
  GPUCCL_HD void put_inertia_of_volume(const Covariance& of, Values& values) const {
    using enum MeasureId;
    values[inertia_tensor_0_0] = of[0][0] + of[1][1];
    values[inertia_tensor_0_1] = -of[1][2];
    values[inertia_tensor_0_2] = -of[0][2];
    values[inertia_tensor_1_1] = of[0][0] + of[2][2];
    values[inertia_tensor_1_2] = -of[0][1];
    values[inertia_tensor_2_2] = of[1][1] + of[2][2];
    const AxisVariances variances = AxisVariances::in_volume(of);
    values[inertia_tensor_eigvals_0] = variances.at[0] + variances.at[1];
    values[inertia_tensor_eigvals_1] = variances.at[0] + variances.at[2];
    values[inertia_tensor_eigvals_2] = variances.at[1] + variances.at[2];
    put_axes(variances, false, values);
  }
  template <class Values>
  GPUCCL_HD void put_axes(const AxisVariances& of, bool is_physical, Values& values) const {
    using enum MeasureId;
    const auto length = [&](int i) { return is_volume ? std::sqrt(20 * of.at[i]) : 4 * std::sqrt(of.at[i]); };
    values[is_physical ? axis_major_length_physical : axis_major_length] = length(0);
    values[is_physical ? axis_minor_length_physical : axis_minor_length] = length(is_volume ? 2 : 1);
    values[is_physical ? elongation_physical : elongation] = of.ratio(0);
    if (!is_volume) return;
    values[is_physical ? axis_middle_length_physical : axis_middle_length] = length(1);
    values[is_physical ? flatness_physical : flatness] = of.ratio(1);
  }
};

/// Returns the perimeter from the number of boundary elements that are passed straight, diagonally and bent.
template <class Count>
GPUCCL_HD double perimeter_of(const Count* counts) {
  constexpr double kSqrt2 = std::numbers::sqrt2;
  const auto count = [&](int i) { return static_cast<double>(counts[i]); };
  return count(0) + count(1) * kSqrt2 + count(2) * ((1 + kSqrt2) / 2);
}

/// Perimeter and surface by Crofton's formula, from the number of intercepts (runs) along 4 or 13 directions.
/// Their number along a direction is that of elements minus that of adjacent pairs of elements.
struct CroftonFormulas {
  static constexpr int kInImages = sizeof(kDirectionsOfImage) / sizeof(Direction),
                       kInVolumes = sizeof(kDirectionsOfVolume) / sizeof(Direction);

  bool is_volume;
  double weights[kInVolumes], physical_weights[kInVolumes];  // of a direction; in images the first four
  double element;                                            // its physical size; 0: unknown

  CroftonFormulas() = default;
  CroftonFormulas(bool of_volumes, const std::array<double, 3>& spacing);

  int directions() const { return is_volume ? kInVolumes : kInImages; }

  /// `pairs`: of neighbors in each direction.
  template <class Count, class Values>
  GPUCCL_HD void derive(std::uint64_t elements, const Count* pairs, Values& values) const {
    using enum MeasureId;
    const auto total = [&](const double* weight) {
      double sum = 0;
      for (int i = 0; i < (is_volume ? kInVolumes : kInImages); ++i)
        sum += weight[i] * static_cast<double>(elements - pairs[i]);
      return sum;
    };
    const auto size = static_cast<double>(elements);
    const double boundary = total(weights), compactness = compactness_of(size, boundary);
    if (!is_volume) {
      values[perimeter_crofton] = boundary;
      values[roundness] = compactness;
    } else {
      values[surface_crofton] = boundary;
      values[surface_crofton_3] =
          4.0 / 3 * static_cast<double>(3 * elements - pairs[0] - pairs[1] - pairs[2]);
      values[sphericity] = compactness;
    }
    if (element == 0) return;
    const double physical = total(physical_weights);
    values[is_volume ? surface_crofton_physical : perimeter_crofton_physical] = physical;
    values[is_volume ? sphericity_physical : roundness_physical] = compactness_of(size * element, physical);
  }

 private:
  /// Returns the perimeter of the disk, or the surface area of the ball, of this size, divided by `boundary`.
  GPUCCL_HD double compactness_of(double size, double boundary) const {
    constexpr double kPi = std::numbers::pi;
    if (!is_volume) return 2 * std::sqrt(kPi * size) / boundary;
    const double side = cube_root(6 * size);
    return cube_root(kPi) * side * side / boundary;
  }
};

/// Sides of the image that a box touches.
struct BorderFormulas {
  int axes, size[3];
  bool periodic[3];  // axes without border

  template <class Values>
  GPUCCL_HD void derive(const int* min, const int* max, Values& values) const {
    using enum MeasureId;
    constexpr MeasureId kSides[3][2] = {{border_x0, border_x1},
                                        {border_y0, border_y1},
                                        {border_z0, border_z1}},
                        kPercolates[] = {percolates_x, percolates_y, percolates_z};
    int sides = 0;
    for (int axis = 0; axis < axes; ++axis) {
      if (periodic[axis]) continue;
      const bool first = min[axis] == 0, last = max[axis] == size[axis] - 1;
      values[kSides[axis][0]] = first;
      values[kSides[axis][1]] = last;
      values[kPercolates[axis]] = first && last;
      sides += first + last;
    }
    values[border_sides] = sides;
  }
};

}  // namespace gpuccl::measuring
