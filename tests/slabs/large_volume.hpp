#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/types.hpp"

namespace tests {

/// A volume with as many components as can be counted on paper: boxes in its left three quarters, and in its
/// right quarter a comb whose teeth, along the last axis, meet only in the last layer.
struct LargeVolume {
  gpuccl::Extent extent;
  int period = 64;  // of boxes along each axis; more than half of it is box

  bool foreground(int x, int y, int z) const;
  std::uint64_t components() const;
};

/// Writes it as a BigTIFF of 1-bit pages, row by row; or, to a folder, as a TIFF a slice.
void write_large(const std::string& path, const LargeVolume& volume);
void write_large_slices(const std::string& folder, const LargeVolume& volume);

}  // namespace tests
