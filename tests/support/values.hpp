#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "gpuccl/values.hpp"
#include "support/catch.hpp"
#include "support/reference.hpp"

namespace tests {

/// An array of values in memory.
template <class T>
struct Values {
  gpuccl::Extent extent;
  std::vector<T> elements;

  explicit Values(gpuccl::Extent size) : extent(size), elements(static_cast<std::size_t>(size.elements())) {}

  T at(int x, int y, int z) const {
    return elements[static_cast<std::size_t>(
        (static_cast<std::int64_t>(z) * extent.height + y) * extent.width + x)];
  }
  const std::byte* row(std::int64_t row) const {
    return reinterpret_cast<const std::byte*>(elements.data() + row * extent.width);
  }
};

template <class T>
constexpr gpuccl::ValueType type_of() {
  using enum gpuccl::ValueType;
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? f32 : f64;
  constexpr gpuccl::ValueType of_signed[] = {i8, i16, i32, i64}, of_unsigned[] = {u8, u16, u32, u64};
  constexpr int place = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? of_signed[place] : of_unsigned[place];
}

/// The image of slices [z0, z1).
template <class T>
gpuccl::ValueImage image_of(const Values<T>& values, double delta, int z0, int z1) {
  const gpuccl::Extent extent{values.extent.width, values.extent.height, z1 - z0};
  gpuccl::ValueImage image(extent, type_of<T>(), delta);
  const std::int64_t half = extent.rows() / 2, first = std::int64_t{z0} * extent.height;
  image.add_rows(half, extent.rows() - half, values.row(first + half));
  image.add_rows(0, half, values.row(first));
  return image;
}
template <class T>
gpuccl::ValueImage image_of(const Values<T>& values, double delta) {
  return image_of(values, delta, 0, values.extent.depth);
}

/// Values from a few, some of them far apart, in stretches of `length` on average.
template <class T>
Values<T> random_values(std::mt19937& random, gpuccl::Extent extent, int kinds, int length) {
  constexpr T kMax = std::numeric_limits<T>::max(), kMin = std::numeric_limits<T>::lowest();
  const T some[] = {0, 1, 2, 3, 5, kMax, T(kMax - 1), T(kMax / 2), kMin, T(kMin + 1), 9};
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  Values<T> values(extent);
  T value = 0;
  for (T& element : values.elements) {
    if (below(length) == 0) value = some[below(std::min<int>(kinds, std::size(some)))];
    if (std::is_floating_point_v<T> && below(30) == 0) value = std::numeric_limits<T>::quiet_NaN();
    element = value;
  }
  // Rows like the one above in part, so that components are larger than a row.
  for (std::size_t i = static_cast<std::size_t>(extent.width); i < values.elements.size(); ++i)
    if (below(8) != 0) values.elements[i] = values.elements[i - static_cast<std::size_t>(extent.width)];
  return values;
}

/// Makes rows like the one above or the one of the slice before, a third of them each.
template <class T>
void repeat_rows(std::mt19937& random, Values<T>& values) {
  const int height = values.extent.height;
  for (std::int64_t row = 1; row < values.extent.rows(); ++row) {
    const std::int64_t from = random() % 3 == 0 ? row - 1 : random() % 2 == 0 ? row - height : row;
    if (from >= 0)
      std::copy_n(values.elements.begin() + from * values.extent.width, values.extent.width,
                  values.elements.begin() + row * values.extent.width);
  }
}

inline void expect_same(const gpuccl::ValueLabeling& found, const gpuccl::ValueLabeling& expected) {
  expect_same(found.labeled, expected.labeled);
  REQUIRE(found.values == expected.values);
}

/// Labels of a flood fill over values: the oracle, as simple as possible.
template <class T>
gpuccl::ValueLabeling flood_fill(const Values<T>& values, gpuccl::Connectivity connectivity, double delta) {
  using namespace gpuccl;
  const Extent& extent = values.extent;
  auto labels = std::make_unique<LabelImage>(extent, 0);
  std::fill_n(labels->data(), extent.elements(), 0);
  const auto index = [&](int x, int y, int z) {
    return (static_cast<std::int64_t>(z) * extent.height + y) * extent.width + x;
  };
  const auto is_set = [](T value) { return value < 0 || value > 0; };
  const auto connect = [&](T a, T b) {
    if (a == b) return true;
    const T high = std::max(a, b), low = std::min(a, b);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(high) - static_cast<double>(low) <= delta;
    __extension__ using Wide = __int128;
    return static_cast<Wide>(high) - static_cast<Wide>(low) <= static_cast<Wide>(delta);
  };
  ValueLabeling whole;
  Labeling& result = whole.labeled;
  Label count = 0;
  struct Place {
    int x, y, z;
  };
  std::vector<Place> stack;
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x) {
        if (!is_set(values.at(x, y, z)) || labels->data()[index(x, y, z)] != 0) continue;
        labels->data()[index(x, y, z)] = ++count;
        Component component;
        if constexpr (std::is_floating_point_v<T>) {
          whole.values.push_back(std::bit_cast<ValueBits>(static_cast<double>(values.at(x, y, z))));
        } else {
          whole.values.push_back(static_cast<ValueBits>(values.at(x, y, z)));
        }
        for (stack = {{x, y, z}}; !stack.empty();) {
          const Place at = stack.back();
          stack.pop_back();
          component.add(Component{1,
                                  {{at.x, at.y, at.z}, {at.x, at.y, at.z}},
                                  {static_cast<CoordinateSum>(at.x), static_cast<CoordinateSum>(at.y),
                                   static_cast<CoordinateSum>(at.z)}});
          for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
              for (int dx = -1; dx <= 1; ++dx) {
                const int axes = std::abs(dx) + std::abs(dy) + std::abs(dz);
                if (axes == 0 || axes > max_axes(connectivity) || (dz != 0 && !is_3d(connectivity))) continue;
                const Place to{at.x + dx, at.y + dy, at.z + dz};
                if (to.x < 0 || to.y < 0 || to.z < 0 || to.x >= extent.width || to.y >= extent.height ||
                    to.z >= extent.depth)
                  continue;
                Label& label = labels->data()[index(to.x, to.y, to.z)];
                const T value = values.at(to.x, to.y, to.z);
                if (label != 0 || !is_set(value) || !connect(values.at(at.x, at.y, at.z), value)) continue;
                label = count;
                stack.push_back(to);
              }
        }
        result.components.push_back(component);
      }
  labels->set_count(count);
  result.labels = std::move(labels);
  return whole;
}

}  // namespace tests
