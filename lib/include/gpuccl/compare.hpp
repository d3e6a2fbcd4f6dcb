#pragma once

#include <cstdint>
#include <span>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Differences between two label images of the same extent.
struct Comparison {
  bool same_extent = true;
  bool same_background = true;
  bool same_partition = true;           // equal up to renaming of labels
  bool same_numbers = true;             // equal
  std::uint64_t other_foreground = 0;   // elements that are background in one and labeled in the other
  std::uint64_t common_foreground = 0;  // elements that are labeled in both
  bool differs = false;                 // the first difference in raster order follows:
  int x = 0, y = 0, z = 0;
  std::uint64_t a = 0, b = 0;  // the two values there

  /// Returns the Dice coefficient of the foregrounds, 0 to 1; 1 if both are empty.
  double dice() const;
};

/// Compares two label images. The first difference is one of the partition if partitions differ,
/// otherwise one of labels. Values need not be 1..N. `long_a`, `long_b`: 64-bit labels that 1..N stand
/// for; empty if labels stand for themselves.
Comparison compare(const LabelSource& a, const LabelSource& b, std::span<const std::uint64_t> long_a = {},
                   std::span<const std::uint64_t> long_b = {});

}  // namespace gpuccl
