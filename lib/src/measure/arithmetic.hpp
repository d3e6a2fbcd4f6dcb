#pragma once

#include <cmath>

#include "gpuccl/types.hpp"

// Divisions of integers, and roots and angles from operations that are rounded identically everywhere; of
// <cmath>, these are the square root and the fused multiply-add. So measures have the same last digits on
// every processor and with every C library.
namespace gpuccl::measuring {

/// Returns the quotient of integers, rounded down.
template <class Number>
GPUCCL_HD constexpr Number floor_divide(Number number, Number by) {
  return number / by - (number % by != 0 && (number < 0) != (by < 0));
}

/// Returns the quotient of integers, rounded up.
template <class Number>
GPUCCL_HD constexpr Number ceiling_divide(Number number, Number by) {
  return -floor_divide<Number>(-number, by);
}

/// Returns the length of (a, b), whose squares must be finite.
GPUCCL_HD inline double length_of(double a, double b) { return std::sqrt(a * a + b * b); }

/// Returns the cube root of a positive number, within two units in the last place; 0 for 0.
GPUCCL_HD inline double cube_root(double number) {
  if (!(number > 0) || std::isinf(number)) return number;
  int exponent = 0;
  double part = std::frexp(number, &exponent);
  for (; exponent % 3 != 0; ++exponent) part /= 2;
  double root = 0.5 + part / 2;  // for 1/8 to 1; too large by at most 13 %
  for (int i = 0; i < 5; ++i) root -= (root - part / (root * root)) / 3;  // Newton's step doubles the digits
  return std::ldexp(root, exponent / 3);
}

/// The sum of a double and a remainder of at most half a unit in its last place.
struct TwoDoubles {
  double high, low = 0;

  /// Requires that |a| >= |b|, or that a is 0.
  GPUCCL_HD static TwoDoubles ordered(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  GPUCCL_HD static TwoDoubles of_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }
  GPUCCL_HD static TwoDoubles of_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
  }
  GPUCCL_HD friend TwoDoubles operator-(TwoDoubles a) { return {-a.high, -a.low}; }
  GPUCCL_HD friend TwoDoubles operator+(TwoDoubles a, TwoDoubles b) {
    TwoDoubles sum = of_sum(a.high, b.high);
    const TwoDoubles low = of_sum(a.low, b.low);
    sum = ordered(sum.high, sum.low + low.high);
    return ordered(sum.high, sum.low + low.low);
  }
  GPUCCL_HD friend TwoDoubles operator*(TwoDoubles a, TwoDoubles b) {
    const TwoDoubles product = of_product(a.high, b.high);
    return ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
  }
  GPUCCL_HD friend TwoDoubles operator/(TwoDoubles a, TwoDoubles b) {
    const double first = a.high / b.high;
    const double rest = std::fma(-first, b.high, a.high) + (a.low - first * b.low);
    return ordered(first, rest / b.high);
  }
};

/// Returns the angle of (x, y), as std::atan2(y, x), rounded correctly unless it is within 2^-40 units in the
/// last place of the middle of two numbers. Requires finite numbers, not both 0, whose products and quotients
/// neither overflow nor underflow.
GPUCCL_HD inline double angle_of(double y, double x) {
  // Arctangents of multiples of 1/8, and coefficients of the series from the third power on.
  constexpr TwoDoubles kOfEighths[] = {{0},
                                       {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                       {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                       {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                       {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                       {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                       {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                       {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                       {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  constexpr TwoDoubles kSeries[] = {{-0x1.5555555555555p-2, -0x1.5555555555555p-56},
                                    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
                                    {-0x1.2492492492492p-3, -0x1.2492492492492p-57},
                                    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
                                    {-0x1.745d1745d1746p-4, 0x1.745d1745d1746p-59},
                                    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
                                    {-0x1.1111111111111p-4},
                                    {0x1.e1e1e1e1e1e1ep-5},
                                    {-0x1.af286bca1af28p-5},
                                    {0x1.8618618618618p-5},
                                    {-0x1.642c8590b2164p-5},
                                    {0x1.47ae147ae147bp-5}};
  constexpr int kTerms = sizeof(kSeries) / sizeof(*kSeries), kExact = 6;
  constexpr TwoDoubles kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
      kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

  const double across = std::fabs(y), along = std::fabs(x);
  const bool is_steep = across > along;
  const double opposite = is_steep ? along : across, adjacent = is_steep ? across : along;
  const int eighths = static_cast<int>(opposite / adjacent * 8 + 0.5);
  const auto part_of = [&](double side) { return TwoDoubles::of_product(eighths / 8.0, side); };
  const TwoDoubles rest = (TwoDoubles{opposite} + -part_of(adjacent)) /
                          (TwoDoubles{adjacent} + part_of(opposite));  // a tangent of at most 1/16
  const auto whole = [&](TwoDoubles of_rest) {
    TwoDoubles angle = kOfEighths[eighths] + of_rest;
    if (is_steep) angle = kHalfPi + -angle;
    if (x < 0) angle = kPi + -angle;
    return angle;
  };

  const double square = rest.high * rest.high;
  double factor = 0;
  for (int i = kTerms - 1; i >= 0; --i) factor = kSeries[i].high + square * factor;
  TwoDoubles angle = whole(TwoDoubles::ordered(rest.high, rest.low + rest.high * (square * factor)));
  // More digits are needed only if an error in the series could change the last one.
  const double error = std::fabs(rest.high) * 0x1p-58;
  if (angle.high + (angle.low - error) != angle.high + (angle.low + error)) {
    const TwoDoubles exact = rest * rest;
    factor = 0;
    for (int i = kTerms - 1; i >= kExact; --i) factor = kSeries[i].high + square * factor;
    TwoDoubles series{factor};
    for (int i = kExact - 1; i >= 0; --i) series = kSeries[i] + exact * series;
    angle = whole(rest + rest * (exact * series));
  }
  return std::copysign(angle.high, y);
}

}  // namespace gpuccl::measuring
