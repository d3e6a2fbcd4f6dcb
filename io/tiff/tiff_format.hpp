#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// Sample storage of the current page.
struct TiffFormat {
  SampleFormat samples;
  int channels = 1;  // of a pixel as it is stored, alpha and others included
  int planes = 1;    // that have to be read, when each channel is stored on its own
  Photometric stored = Photometric::min_is_black;  // by the tag, whatever samples are read as
};

/// Settings for reading samples, in addition to the tags of a page.
struct TiffReading {
  bool all_channels = false;  // of a pixel, because one is chosen
  bool by_imagej = false;     // whose palettes only display samples
  PaletteUse palette = PaletteUse::automatic;
  PlaneOptions options = {};
};

bool is_fax(int compression);

/// Reads the format of the current page. Throws Error (data) if it is not supported.
TiffFormat read_tiff_format(const TiffHandle& tiff, const TiffReading& reading,
                            const std::function<void(const std::string& line)>& warn);

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

/// Returns "tile 3", "strip 3".
std::string piece_name(const TiffLayout& layout, std::int64_t index);

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
