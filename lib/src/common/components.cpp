#include <algorithm>

#include "gpuccl/labels.hpp"

namespace gpuccl {

void Component::add(const Component& other) {
  area += other.area;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.min[axis] = std::min(box.min[axis], other.box.min[axis]);
    box.max[axis] = std::max(box.max[axis], other.box.max[axis]);
    sum[axis] += other.sum[axis];
  }
}

Component Components::operator[](std::size_t i) const {
  Component component{area[i], box[i], {sum[i][0], sum[i][1], sum[i][2]}};
  if (sum_high.empty()) return component;
  if (const auto high = sum_high.find(i); high != sum_high.end())
    for (std::size_t axis = 0; axis < 3; ++axis)
      component.sum[axis] |= CoordinateSum{high->second[axis]} << 64;
  return component;
}

void Components::set(std::size_t i, const Component& component) {
  area[i] = component.area;
  box[i] = component.box;
  std::array<std::uint64_t, 3> high;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum[i][axis] = static_cast<std::uint64_t>(component.sum[axis]);
    high[axis] = static_cast<std::uint64_t>(component.sum[axis] >> 64);
  }
  if (high != std::array<std::uint64_t, 3>{}) {
    sum_high[i] = high;
  } else if (!sum_high.empty()) {
    sum_high.erase(i);
  }
}

void Components::push_back(const Component& component) {
  const std::size_t i = size();
  area.emplace_back();
  box.emplace_back();
  sum.emplace_back();
  set(i, component);
}

double Components::centroid(std::size_t i, int axis) const {
  const auto along = static_cast<std::size_t>(axis);
  // Sums of two words are rare and take their time.
  const double whole =
      sum_high.empty() ? static_cast<double>(sum[i][along]) : static_cast<double>((*this)[i].sum[along]);
  return whole / static_cast<double>(area[i]);
}

}  // namespace gpuccl
