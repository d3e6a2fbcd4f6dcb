#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// How two label images of the same extent differ.
struct Comparison {
  bool same_extent = true;
  bool same_background = true;
  bool same_partition = true;          // equal up to the choice of numbers
  bool same_numbers = true;            // equal
  std::uint64_t other_foreground = 0;  // elements that are background in one and labeled in the other
  bool differs = false;                // then the first difference in raster order:
  int x = 0, y = 0, z = 0;
  Label a = 0, b = 0;  // the two values there
};

/// The first difference is one of the partition if the partitions differ, else one of the numbers.
/// Compares rows as they are rendered; the values need not be 1..N.
Comparison compare(const LabelSource& a, const LabelSource& b);

}  // namespace gpuccl
