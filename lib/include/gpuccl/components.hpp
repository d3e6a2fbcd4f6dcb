#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuccl {

/// Smallest box of whole elements around a component; `max` is inclusive. Axes in the order x, y, z.
struct Box {
  std::array<int, 3> min{};
  std::array<int, 3> max{};
  friend bool operator==(const Box&, const Box&) = default;
};

/// What is known of every component, as a structure of arrays: entry i describes label i + 1.
struct Components {
  std::vector<std::uint64_t> area;  // elements
  std::vector<Box> box;
  std::vector<std::array<std::uint64_t, 3>> sum;  // of the coordinates x, y, z of all elements

  static constexpr std::size_t kBytesEach =
      sizeof(std::uint64_t) + sizeof(Box) + sizeof(std::array<std::uint64_t, 3>);

  std::size_t size() const { return area.size(); }
  void resize(std::size_t count) {
    area.resize(count);
    box.resize(count);
    sum.resize(count);
  }
  /// Mean position of the elements of component i along axis 0 (x), 1 (y) or 2 (z).
  double centroid(std::size_t i, int axis) const {
    return static_cast<double>(sum[i][static_cast<std::size_t>(axis)]) / static_cast<double>(area[i]);
  }
  friend bool operator==(const Components&, const Components&) = default;
};

}  // namespace gpuccl
