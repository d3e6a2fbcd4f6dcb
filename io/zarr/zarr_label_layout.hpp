#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// The chunks of a label image: a slice deep, so that labels are written in the order in which they come, and
/// as wide and high as viewers like them. A strip is a row of chunks.
struct ZarrLabelLayout {
  int width, height;     // of a chunk
  std::int64_t columns;  // of chunks
  StripLayout strips;

  ZarrLabelLayout(const Extent& extent, int bits_per_sample, std::size_t most_at_once = strips_at_once())
      : width(std::min(extent.width, kSide)), strips(extent, bits_per_sample, most_at_once) {
    constexpr std::int64_t kStripBytes = std::int64_t{2} << 20;
    constexpr std::int64_t kLeast = 64;
    height = static_cast<int>(std::min<std::int64_t>(
        extent.height, std::clamp<std::int64_t>(kStripBytes / strips.row_bytes, kLeast, kSide)));
    columns = (std::int64_t{extent.width} + width - 1) / width;
    strips.rows_per_strip = height;
    strips.strips_per_slice = (std::int64_t{extent.height} + height - 1) / height;
  }

 private:
  static constexpr int kSide = 1024;
};

}  // namespace gpuccl::io
