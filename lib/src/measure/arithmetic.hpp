#pragma once

#include <cmath>

#include "gpuccl/types.hpp"

// Divisions of integers, and roots from operations that are rounded identically everywhere; of <cmath>, only
// the square root is. So measures have the same last digits on every processor and with every C library.
namespace gpuccl::measuring {

/// Returns the quotient of integers, rounded down.
template <class Number>
constexpr Number floor_divide(Number number, Number by) {
  return number / by - (number % by != 0 && (number < 0) != (by < 0));
}

/// Returns the quotient of integers, rounded up.
template <class Number>
constexpr Number ceiling_divide(Number number, Number by) {
  return -floor_divide<Number>(-number, by);
}

/// Returns the length of (a, b), whose squares must be finite.
inline double length_of(double a, double b) { return std::sqrt(a * a + b * b); }

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

}  // namespace gpuccl::measuring
