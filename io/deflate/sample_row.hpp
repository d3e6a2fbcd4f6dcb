#pragma once

#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl::io {

/// Layout of the samples of a row of labels in a file.
struct SampleRow {
  int width = 0;         // samples
  int sample_bytes = 1;  // 1, 2 or 4
  bool png = false;  // a filter byte 0 before each row and the high byte of a sample first, else the low one

  std::int64_t bytes() const { return static_cast<std::int64_t>(width) * sample_bytes + (png ? 1 : 0); }

  /// The bytes of a sample in the order of the file, the first one lowest.
  std::uint32_t stored(Label label) const {
    return png && sample_bytes == 2 ? (label >> 8 & 0xff) | (label & 0xff) << 8 : label;
  }
};

}  // namespace gpuccl::io
