#pragma once

#include <cstdint>
#include <span>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// How two label images of the same extent differ.
struct Comparison {
  bool same_extent = true;
  bool same_background = true;
  bool same_partition = true;           // equal up to the choice of numbers
  bool same_numbers = true;             // equal
  std::uint64_t other_foreground = 0;   // elements that are background in one and labeled in the other
  std::uint64_t common_foreground = 0;  // elements that are labeled in both
  bool differs = false;                 // then the first difference in raster order:
  int x = 0, y = 0, z = 0;
  std::uint64_t a = 0, b = 0;  // the two values there

  /// Dice coefficient of the two foregrounds, 0 to 1: twice what they share by the sum of both; 1 of none.
  double dice() const;
};

/// The first difference is one of the partition if the partitions differ, else one of the numbers.
/// Compares rows as they are rendered; the values need not be 1..N. `long_a`, `long_b`: labels of 64 bits
/// that 1..N stand for, empty where labels stand for themselves.
Comparison compare(const LabelSource& a, const LabelSource& b, std::span<const std::uint64_t> long_a = {},
                   std::span<const std::uint64_t> long_b = {});

}  // namespace gpuccl
