#pragma once

#include <cstdint>

#include "io/files/input_file.hpp"
#include "io/tiff/tiff_format.hpp"

namespace gpuccl::io {

/// Division of the current page into strips or tiles that libtiff decodes one by one.
struct TiffLayout {
  bool tiled = false;
  std::int64_t width = 0,
               height = 0;  // of a piece; a strip is as wide as the page and may be cut short at its end
  std::int64_t across = 1, down = 1;  // pieces of a plane
  std::int64_t piece_row_bytes = 0;   // of a row of a piece of one plane
  std::int64_t row_bytes = 0;         // of a row of all pieces of one plane

  std::int64_t piece_bytes() const { return piece_row_bytes * height; }
};

TiffLayout read_tiff_layout(const TiffHandle& tiff, const TiffFormat& format);

/// The pieces of a page in the file.
struct TiffPieces {
  std::uint64_t rows = 0;  // offset of the rows if they lie uncompressed in one piece, else 0
  std::int64_t count = 0;
  std::uint64_t stored = 0;       // bytes
  std::int64_t largest = 0;       // bytes of one piece, if compressed
  std::int64_t coefficients = 0;  // bytes that a JPEG decoder takes at most for one piece
};

/// Checks that every piece of the current page is inside the file and can be as large as it should be. Throws
/// Error (data).
TiffPieces check_pieces(const TiffHandle& tiff, const TiffFormat& format, const TiffLayout& layout,
                        const InputFile& file);

}  // namespace gpuccl::io
