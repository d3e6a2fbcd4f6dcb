#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "gpuccl/column.hpp"

namespace gpuccl {

/// Smallest box of whole elements around a component; `max` is inclusive. Axes in the order x, y, z.
struct Box {
  std::array<int, 3> min{};
  std::array<int, 3> max{};
  friend bool operator==(const Box&, const Box&) = default;
};

/// Of one coordinate of many elements: from 2^33 elements on it may pass 2^64.
__extension__ typedef unsigned __int128 CoordinateSum;

/// What is known of one component, or of a part of one.
struct Component {
  std::uint64_t area = 0;  // elements
  Box box{{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
  std::array<CoordinateSum, 3> sum{};

  void add(const Component& other);
};

/// What is known of every component, as a structure of arrays: entry i describes label i + 1.
struct Components {
  Column<std::uint64_t> area;  // elements
  Column<Box> box;
  Column<std::array<std::uint64_t, 3>> sum;  // of the coordinates x, y, z of all elements, modulo 2^64
  std::map<std::size_t, std::array<std::uint64_t, 3>> sum_high;  // entry i / 2^64, where that is not 0

  static constexpr std::size_t kBytesEach =
      sizeof(std::uint64_t) + sizeof(Box) + sizeof(std::array<std::uint64_t, 3>);

  std::size_t size() const { return area.size(); }
  /// What is new is not initialized.
  void resize(std::size_t count) {
    area.resize(count);
    box.resize(count);
    sum.resize(count);
  }
  Component operator[](std::size_t i) const;
  void set(std::size_t i, const Component& component);
  void push_back(const Component& component);

  /// Mean position of the elements of component i along axis 0 (x), 1 (y) or 2 (z).
  double centroid(std::size_t i, int axis) const;
  friend bool operator==(const Components&, const Components&) = default;
};

}  // namespace gpuccl
