#pragma once

#include <cstdint>

#include "gpuccl/host_device.hpp"

namespace gpuccl {

/// Size of an image or volume in elements. Axes are below 2^31; the number of elements may exceed 2^32.
struct Extent {
  int width = 0;
  int height = 0;
  int depth = 1;

  GPUCCL_HD bool contains(int x, int y, int z = 0) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  /// Returns the number of rows of all slices; row r is row r % height of slice r / height.
  GPUCCL_HD std::int64_t rows() const { return static_cast<std::int64_t>(height) * depth; }
  GPUCCL_HD std::int64_t elements() const { return rows() * width; }

  friend bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace gpuccl
