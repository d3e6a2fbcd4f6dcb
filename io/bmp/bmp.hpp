#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Header of a bitmap.
struct BmpHeader {
  SampleFormat format;
  std::array<std::size_t, 3> colors = {2, 1, 0};  // bytes of red, green and blue in a pixel of 24 or 32 bits
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

/// Returns whether a version of the format has a header of this size.
bool is_bmp_header_size(std::uint32_t bytes);

/// Throws Error (data).
BmpHeader read_bmp_header(const ByteSource& file, const Limits& limits);

bool is_bmp(const InputFile& file);

/// Opens an uncompressed Windows bitmap of 1, 4, 8, 24 or 32 bits (the last 8 of 32 are ignored), stored from
/// the bottom up or from the top down. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_bmp(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
