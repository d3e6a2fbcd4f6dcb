#pragma once

#include <cstdint>

#include "gpuccl/extent.hpp"
#include "io/files/byte_source.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// What stands before the pixels of a bitmap.
struct BmpHeader {
  SampleFormat format;  // of 24 and 32 bits red, green and blue, which are stored the other way round
  Extent extent;
  Resolution resolution;
  int pixel_bits = 0;
  bool is_top_down = false;
  bool has_alpha = false;
  std::uint64_t pixels = 0;  // the offset of the first row that is stored

  /// Rows are stored in units of four bytes.
  std::int64_t stored_row_bytes() const {
    return (static_cast<std::int64_t>(extent.width) * pixel_bits + 31) / 32 * 4;
  }
};

/// Throws Error (data).
BmpHeader read_bmp_header(const ByteSource& file, const Limits& limits);

}  // namespace gpuccl::io
