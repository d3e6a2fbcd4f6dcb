#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "gpuccl/measures.hpp"
#include "measure/arithmetic.hpp"

// Formulas of basic and intensity measures, for the CPU and for kernels. Values: MeasureValues, or a table on
// a device. Compile without contraction of products and sums.
namespace gpuccl::measuring {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

GPUCCL_HD inline double number_or_none(double value) { return std::isfinite(value) ? value : kNoValue; }

/// Measures that area, box and coordinate sums determine.
struct BasicFormulas {
  bool is_volume;
  bool is_deep;  // as is_volume
  double spacing[3];

  /// `sum`: of coordinates, integers. `min`, `max`: inclusive.
  template <class Sum, class Values>
  GPUCCL_HD void derive(std::uint64_t elements, const int* min, const int* max, const Sum* sum,
                        Values& values) const {
    using enum MeasureId;
    const auto size = static_cast<double>(elements);
    const auto centroid = [&](int axis) { return static_cast<double>(sum[axis]) / size; };
    values[area] = size;
    values[x0] = min[0];
    values[y0] = min[1];
    values[x1] = max[0];
    values[y1] = max[1];
    values[cx] = centroid(0);
    values[cy] = centroid(1);
    values[z0] = min[2];
    values[z1] = max[2];
    values[cz] = centroid(2);

    const auto length = [&](int axis) { return max[axis] - static_cast<double>(min[axis]) + 1; };
    values[width] = length(0);
    values[height] = length(1);
    values[depth] = length(2);
    values[extent] = size / (length(0) * length(1) * length(2));
    values[equivalent_diameter_area] = diameter(size);

    if (spacing[0] == 0) return;
    const double face = spacing[0] * spacing[1], element = face * spacing[2];
    if (!is_deep || spacing[2] > 0) values[area_physical] = size * (is_deep ? element : face);
    values[equivalent_diameter_area_physical] = diameter(size * (is_volume ? element : face));
  }

 private:
  GPUCCL_HD double diameter(double size) const {
    constexpr double kPi = std::numbers::pi;
    return is_volume ? cube_root(6 * size / kPi) : std::sqrt(4 * size / kPi);
  }
};

/// Derives the values that do not depend on how a sum and its moments were computed.
template <class Values>
GPUCCL_HD void put_sums(double sum, const double (&moments)[3], Values& values) {
  using enum MeasureId;
  const auto centroid = [&](int axis) {  // for an infinite sum the quotient would be 0
    return number_or_none(std::isfinite(sum) ? moments[axis] / sum : sum);
  };
  values[intensity_sum] = number_or_none(sum);
  values[cx_weighted] = centroid(0);
  values[cy_weighted] = centroid(1);
  values[cz_weighted] = centroid(2);
}

/// The mean of integers: the nearest integer, and the distance from it.
struct WholeMean {
  GPUCCL_HD WholeMean(WholeNumber sum, std::uint64_t count)
      : middle(nearest_quotient(sum, count)),
        off(static_cast<double>(sum - middle * WholeNumber{count}) / static_cast<double>(count)) {}

  WholeNumber middle;
  double off;

 private:
  GPUCCL_HD static WholeNumber nearest_quotient(WholeNumber sum, std::uint64_t count) {
    const WholeNumber twice = 2 * sum + (sum < 0 ? -1 : 1) * WholeNumber{count};
    return twice / (2 * WholeNumber{count});
  }
};

/// Sets the integer measures that put_sums() does not set. `variance`: around the middle, not the mean.
template <class Values>
GPUCCL_HD void put_whole(WholeNumber min, WholeNumber max, const WholeMean& mean, double variance,
                         Values& values) {
  using enum MeasureId;
  values.set_whole(intensity_min, min);
  values.set_whole(intensity_max, max);
  values[intensity_mean] = static_cast<double>(mean.middle) + mean.off;
  const double around_mean = variance - mean.off * mean.off;
  values[intensity_std] = std::sqrt(0 < around_mean ? around_mean : 0);
}

/// Sums of samples that are integers of at most 32 bits.
struct WholeTotals {
  std::uint64_t count = 0;
  std::int64_t min = INT64_MAX, max = INT64_MIN;
  WholeNumber sum = 0;
  CoordinateSum squares = 0;
  WholeNumber moments[3] = {};  // of x, y, z times the sample

  /// Returns the sum of squared distances from an integer. Exact modulo 2^128, and smaller.
  GPUCCL_HD CoordinateSum squares_from(WholeNumber integer) const {
    const auto from = static_cast<CoordinateSum>(integer);
    return squares - 2 * from * static_cast<CoordinateSum>(sum) + from * from * count;
  }
  template <class Values>
  GPUCCL_HD void derive(Values& values) const {
    put_sums(
        static_cast<double>(sum),
        {static_cast<double>(moments[0]), static_cast<double>(moments[1]), static_cast<double>(moments[2])},
        values);
    values.set_whole(MeasureId::intensity_sum, sum);
    values[MeasureId::intensity_nan] = 0;
    if (count == 0) return;
    const WholeMean mean(sum, count);
    put_whole(min, max, mean, static_cast<double>(squares_from(mean.middle)) / static_cast<double>(count),
              values);
  }
};

/// Sums of samples that are integers of at most 64 bits. These are divided into halves, so that squares and
/// moments also fit into 128 bits.
struct LongTotals {
  static constexpr int kLowerBits = 32;
  static constexpr WholeNumber kUpper = WholeNumber{1} << kLowerBits;

  /// upper * 2^32 + lower.
  struct Halves {
    WholeNumber upper = 0, lower = 0;

    GPUCCL_HD void add(WholeNumber times, const Halves& other) {
      upper += times * other.upper;
      lower += times * other.lower;
    }
    GPUCCL_HD WholeNumber joined() const { return upper * kUpper + lower; }
    GPUCCL_HD double value() const {
      constexpr WholeNumber kFits = WholeNumber{1} << 94;  // above, halves do not cancel each other
      return -kFits < upper && upper < kFits
                 ? static_cast<double>(joined())
                 : std::ldexp(static_cast<double>(upper), kLowerBits) + static_cast<double>(lower);
    }
  };

  std::uint64_t count = 0;
  WholeNumber min = kUpper * kUpper, max = -min;
  Halves sum;
  WholeNumber upper_squares = 0, products = 0, lower_squares = 0;  // of the halves of each sample
  Halves moments[3];                                               // of x, y, z times the sample

  template <class Values>
  GPUCCL_HD void derive(Values& values) const {
    const WholeNumber whole = sum.joined();
    put_sums(static_cast<double>(whole), {moments[0].value(), moments[1].value(), moments[2].value()},
             values);
    values.set_whole(MeasureId::intensity_sum, whole);
    values[MeasureId::intensity_nan] = 0;
    if (count == 0) return;
    const WholeMean mean(whole, count);
    put_whole(min, max, mean, mean_square_from(mean.middle), values);
  }

 private:
  /// Returns the mean of squared distances from an integer.
  GPUCCL_HD double mean_square_from(WholeNumber middle) const {
    const WholeNumber upper = middle >> kLowerBits, lower = middle & (kUpper - 1), number = count;
    const WholeNumber uppers = upper_squares - 2 * upper * sum.upper + upper * upper * number,
                      mixed = products - upper * sum.lower - lower * sum.upper + upper * lower * number,
                      lowers = lower_squares - 2 * lower * sum.lower + lower * lower * number;
    // Small distances: terms may cancel each other, but the result fits into 128 bits.
    const bool fits = uppers < WholeNumber{1} << 60;
    const double squares = fits ? static_cast<double>(uppers * kUpper * kUpper + 2 * mixed * kUpper + lowers)
                                : std::ldexp(static_cast<double>(uppers), 2 * kLowerBits) +
                                      std::ldexp(static_cast<double>(mixed), kLowerBits + 1) +
                                      static_cast<double>(lowers);
    return squares / static_cast<double>(count);
  }
};

/// Sums of any samples that are numbers.
struct RealTotals {
  std::uint64_t numbers, nans;
  double min, max, sum, squares;  // squares of distances from the mean
  double moments[3];

  template <class Values>
  GPUCCL_HD void derive(Values& values) const {
    using enum MeasureId;
    put_sums(sum, moments, values);
    values[intensity_nan] = static_cast<double>(nans);
    if (numbers == 0) return;
    const auto divisor = static_cast<double>(numbers);
    values[intensity_min] = number_or_none(min);
    values[intensity_max] = number_or_none(max);
    values[intensity_mean] = number_or_none(sum / divisor);
    values[intensity_std] = number_or_none(std::sqrt(squares / divisor));
  }
};

}  // namespace gpuccl::measuring
