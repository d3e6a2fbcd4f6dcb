#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

/// Decodes the current page of a file with libtiff, strip by strip or tile by tile.
class TiffPageDecoder {
 public:
  TiffPageDecoder(TiffHandle& tiff, const TiffFormat& format, const Extent& extent);

  /// Returns the number of bands of the page: rows of strips or tiles that are decoded together. 1 if rows
  /// are decoded one by one.
  int bands() const;
  std::int64_t band_bytes() const { return layout_.row_bytes * layout_.height * format_.planes; }
  /// Returns the memory of an open file for the offsets and sizes of strips or tiles.
  std::int64_t table_bytes() const { return layout_.across * layout_.down * format_.planes * 16; }

  /// Decodes bands [begin, end). Throws Error (data, io).
  void decode(int begin, int end, const SampleSource::Sink& sink);

  /// Returns the memory for decoding a page.
  static std::int64_t buffer_bytes(const TiffLayout& layout, int planes, const TiffPieces& pieces);

 private:
  void decode_rows(const SampleSource::Sink& sink);
  void decode_pieces(int begin, int end, const SampleSource::Sink& sink);
  void read_band(int plane, std::int64_t down, int rows, std::byte* out);
  void interleave(const std::byte* planes, std::size_t plane_bytes, std::size_t bytes,
                  std::byte* pixels) const;
  void check(bool good, const std::string& what) const;

  TiffHandle& tiff_;
  TiffFormat format_;
  Extent extent_;
  TiffLayout layout_;
  bool fills_in_ = false;  // damage is only a warning
  std::vector<std::byte> tile_;
};

}  // namespace gpuccl::io
