#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "gpuccl/measures.hpp"
#include "measure/arithmetic.hpp"
#include "measure/derived.hpp"

// Convex hulls of the rows of an object, for the CPU and for kernels. `Number`: an integer that holds
// products of coordinates. Compile without contraction of products and sums.
namespace gpuccl::measuring {

/// Begin of a row without elements, whose end is 0.
inline constexpr int kNoBegin = std::numeric_limits<int>::max();

/// Coordinates in half elements, or in elements.
template <class Number>
struct HullPoint {
  Number x, y;

  GPUCCL_HD friend bool operator==(const HullPoint& a, const HullPoint& b) {
    return a.x == b.x && a.y == b.y;
  }
};

/// Returns a positive number if c lies to the left of the line from a to b.
template <class Number>
GPUCCL_HD Number turn(const HullPoint<Number>& a, const HullPoint<Number>& b, const HullPoint<Number>& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The points half an element left of, right of, above and below the first and last elements of rows, in half
/// elements. At each height only the first and the last point matter. Height 2 * i + 1 is the middle of row
/// i; even heights lie between two rows, at the centers of whose elements they have points. Rows may be empty
/// if an object has several pieces. `Rows` has size(), begin(i) and end(i).
template <class Number, class Rows>
struct Outline {
  Rows rows;

  GPUCCL_HD Number heights() const { return 2 * rows.size() + 1; }
  /// Both tell whether there are points at a height, from ends or from begins.
  GPUCCL_HD bool has_right(Number height) const {
    return rows.end(above(height)) > 0 || rows.end(below(height)) > 0;
  }
  GPUCCL_HD bool has_left(Number height) const {
    return rows.begin(above(height)) != kNoBegin || rows.begin(below(height)) != kNoBegin;
  }
  GPUCCL_HD HullPoint<Number> left(Number height) const {
    const int a = rows.begin(above(height)), b = rows.begin(below(height));
    return {2 * Number{a < b ? a : b} - height % 2, height};
  }
  GPUCCL_HD HullPoint<Number> right(Number height) const {
    const int a = rows.end(above(height)), b = rows.end(below(height));
    return {2 * (Number{a > b ? a : b} - 1) + height % 2, height};
  }

 private:
  GPUCCL_HD static Number above(Number height) { return height == 0 ? 0 : (height - 1) / 2; }
  GPUCCL_HD Number below(Number height) const {
    return height / 2 < rows.size() ? height / 2 : rows.size() - 1;
  }
};

/// A side of a hull, of different heights. The hull lies to the left of its sides; y points down.
template <class Number>
struct HullSide {
  HullPoint<Number> top, bottom;
  bool is_right;

  GPUCCL_HD HullSide(const HullPoint<Number>& a, const HullPoint<Number>& b)
      : top(a.y < b.y ? a : b), bottom(a.y < b.y ? b : a), is_right(a.y < b.y) {}

  /// Returns the end, of a left side the begin, of the elements of a row whose centers are in the hull or on
  /// its side. `height`: of the row.
  GPUCCL_HD int row_end(Number height) const {
    // In half elements, x is top.x + across / down. Elements have even coordinates.
    const Number down = bottom.y - top.y, across = (bottom.x - top.x) * (height - top.y);
    const Number x = top.x * down + across;
    return static_cast<int>(is_right ? floor_divide<Number>(x, 2 * down) + 1
                                     : ceiling_divide<Number>(x, 2 * down));
  }
};

/// Extents of a hull.
struct HullExtents {
  double width, height;  // of half an element
  double diameter_squared = 0;
  double least_width = std::numeric_limits<double>::infinity();

  template <class Number>
  GPUCCL_HD void take_distance(const HullPoint<Number>& a, const HullPoint<Number>& b) {
    const double x = width * static_cast<double>(a.x - b.x), y = height * static_cast<double>(a.y - b.y);
    const double squared = x * x + y * y;
    if (diameter_squared < squared) diameter_squared = squared;
  }
};

/// The corners of a hull in the order of its sides. at(i) returns one.
template <class At>
struct HullCorners {
  int count;
  At at;

  GPUCCL_HD int next(int i) const { return i + 1 < count ? i + 1 : 0; }

  /// Returns the corner farthest from side i, the first of two. `far`: a corner from the end of the side up
  /// to it. Calls pass(i) for those before it.
  template <class Pass>
  GPUCCL_HD int farthest(int i, int far, const Pass& pass) const {
    const auto a = at(i), b = at(next(i));
    for (auto distance = turn(a, b, at(far));; far = next(far)) {
      const auto beyond = turn(a, b, at(next(far)));
      if (beyond <= distance) return far;
      distance = beyond;
      pass(far);
    }
  }

  /// Rotating calipers: for each side, the corner farthest from it. Two corners with the largest distance are
  /// found at a side next to one of them. The smallest distance between two parallel lines that enclose the
  /// hull is found if one of them lies along a side (Freeman and Shapira 1975). `far`: the corner of the
  /// side before, and 1 for the first one.
  GPUCCL_HD int measure_side(int i, int far, HullExtents& extents) const {
    const auto a = at(i), b = at(next(i));
    far = farthest(i, far, [&](int passed) { extents.take_distance(a, at(passed)); });
    // Both ends of a parallel side are equally far.
    const auto c = at(far), d = at(next(far));
    extents.take_distance(a, c);
    extents.take_distance(b, c);
    extents.take_distance(a, d);
    extents.take_distance(b, d);
    const double side = length_of(extents.width * static_cast<double>(b.x - a.x),
                                  extents.height * static_cast<double>(b.y - a.y));
    const double distance = extents.width * extents.height * static_cast<double>(turn(a, b, c)) / side;
    if (distance < extents.least_width) extents.least_width = distance;
    return far;
  }
};
template <class At>
HullCorners(int, At) -> HullCorners<At>;

/// Returns the extents of an object without a hull.
GPUCCL_HD inline HullExtents no_extents() { return {kNoValue, kNoValue, kNoValue, kNoValue}; }

/// Sets the measures of the hull of an object. `in_hull`: elements in its hull. `physical`: in physical
/// units, or null.
template <class Values>
GPUCCL_HD void put_hull(std::uint64_t elements, double in_hull, const HullExtents& extents,
                        const HullExtents* physical, Values& values) {
  using enum MeasureId;
  values[area_convex] = in_hull;
  values[solidity] = static_cast<double>(elements) / in_hull;
  values[feret_diameter_max] = std::sqrt(extents.diameter_squared);
  values[feret_diameter_min] = extents.least_width;
  if (physical == nullptr) return;
  values[feret_diameter_max_physical] = std::sqrt(physical->diameter_squared);
  values[feret_diameter_min_physical] = physical->least_width;
}

}  // namespace gpuccl::measuring
