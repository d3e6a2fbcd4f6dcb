#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "gpuccl/column.hpp"

namespace gpuccl {

/// Bounding box in elements, with inclusive maxima. Axes are in the order x, y, z.
struct Box {
  std::array<int, 3> min{};
  std::array<int, 3> max{};
  friend bool operator==(const Box&, const Box&) = default;
};

/// Sum of one coordinate over a component; it may exceed 2^64 from 2^33 elements on.
__extension__ typedef unsigned __int128 CoordinateSum;

/// Area, bounding box and coordinate sums of one component, or of a part of one.
struct Component {
  std::uint64_t area = 0;  // elements
  Box box{{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
  std::array<CoordinateSum, 3> sum{};

  void add(const Component& other);
};

/// Area, bounding box and coordinate sums of all components, as a structure of arrays: entry i belongs
/// to label i + 1.
struct Components {
  Column<std::uint64_t> area;  // elements
  Column<Box> box;
  Column<std::array<std::uint64_t, 3>> sum;                      // of the coordinates x, y, z, modulo 2^64
  std::map<std::size_t, std::array<std::uint64_t, 3>> sum_high;  // sum of entry i / 2^64, if not 0

  static constexpr std::size_t kBytesEach =
      sizeof(std::uint64_t) + sizeof(Box) + sizeof(std::array<std::uint64_t, 3>);

  std::size_t size() const { return area.size(); }
  /// Resizes without initializing new entries.
  void resize(std::size_t count) {
    area.resize(count);
    box.resize(count);
    sum.resize(count);
  }
  Component operator[](std::size_t i) const;
  void set(std::size_t i, const Component& component);
  void push_back(const Component& component);

  /// Returns the centroid of component i along axis 0 (x), 1 (y) or 2 (z).
  double centroid(std::size_t i, int axis) const;
  friend bool operator==(const Components&, const Components&) = default;
};

}  // namespace gpuccl
