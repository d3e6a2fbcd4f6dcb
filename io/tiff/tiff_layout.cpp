#include "io/tiff/tiff_layout.hpp"

#include <algorithm>

#include "io/image/jpeg_frame.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

constexpr double kMaxTilePixels = static_cast<double>(std::int64_t{1} << 36);
// Limit for all channels of a row of strips or tiles; its product with a few planes stays below 2^63.
constexpr double kMaxBandBytes = static_cast<double>(std::int64_t{1} << 56);

std::string piece_name(const TiffLayout& layout, std::int64_t index) {
  return (layout.tiled ? "tile " : "strip ") + std::to_string(index);
}

/// Refuses a page that claims more than its compression can make of what is stored, before memory is taken
/// for it.
void check_expansion(int compression, double claimed_bytes, std::int64_t rows, std::uint64_t stored_bytes) {
  const auto stored = static_cast<double>(stored_bytes);
  if (compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE)
    check_deflate_ratio(claimed_bytes, stored_bytes);
  // A code of PackBits is two bytes for 128, one of LZW at least 9 bits for less than 4096 bytes. A row of a
  // fax is at least one bit, however wide it is.
  const bool is_impossible = (compression == COMPRESSION_PACKBITS && claimed_bytes > stored * 64 + 128) ||
                             (compression == COMPRESSION_LZW && claimed_bytes > stored * 4096) ||
                             (is_fax(compression) && static_cast<double>(rows) > stored * 8);
  if (is_impossible) throw Error(Failure::data, claim(claimed_bytes, stored_bytes));
}

/// Bytes that the decoder of a JPEG stream takes for what comes in several scans. What the header claims may
/// be more than a strip or tile holds, and libjpeg believes it.
std::int64_t check_jpeg(const TiffLayout& layout, const InputFile& file, std::uint64_t offset,
                        std::uint64_t bytes) {
  const std::optional<JpegFrame> frame = read_jpeg_frame(file, offset, bytes);
  if (!frame) return 0;
  if (frame->is_lossless()) throw Error(Failure::data, "compression lossless JPEG is not supported");
  if (frame->width > layout.width)
    throw Error(Failure::data, "contains a JPEG stream " + std::to_string(frame->width) +
                                   " pixels wide in strips or tiles of " + std::to_string(layout.width));
  return frame->coefficient_bytes();
}

}  // namespace

TiffLayout read_tiff_layout(const TiffHandle& tiff, const TiffFormat& format) {
  const std::int64_t page_width = tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  const std::int64_t page_height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  SampleFormat plane = format.samples;
  if (format.planes > 1) plane.channels = 1;

  TiffLayout layout;
  layout.tiled = TIFFIsTiled(tiff.get()) != 0;
  if (!layout.tiled) {
    layout.width = page_width;
    layout.height = std::min<std::int64_t>(tiff.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, ~0u), page_height);
  } else {
    layout.width = tiff.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    layout.height = tiff.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    const double pixels = static_cast<double>(layout.width) * static_cast<double>(layout.height);
    if (layout.width == 0 || layout.width > INT32_MAX || layout.height > INT32_MAX || pixels > kMaxTilePixels)
      throw Error(Failure::data, "impossible tiles");
    layout.across = (page_width + layout.width - 1) / layout.width;
    if (layout.across > 1 && layout.width * plane.bits * plane.channels % 8 != 0)
      throw Error(Failure::data, "rows of tiles that do not end on a byte are not supported");
  }
  if (layout.height == 0) throw Error(Failure::data, "strips or tiles without a row");
  layout.down = (page_height + layout.height - 1) / layout.height;
  layout.piece_row_bytes = plane.row_bytes(layout.width);
  layout.row_bytes = layout.piece_row_bytes * layout.across;
  if (static_cast<double>(layout.row_bytes) * static_cast<double>(layout.height) > kMaxBandBytes)
    throw Error(Failure::data, "impossible strips or tiles");
  return layout;
}

TiffPieces check_pieces(const TiffHandle& tiff, const TiffFormat& format, const TiffLayout& layout,
                        const InputFile& file) {
  const int compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  const std::int64_t page_height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  const bool uncompressed = compression == COMPRESSION_NONE;
  const std::int64_t in_plane = layout.across * layout.down;
  const std::int64_t count = in_plane * format.planes;
  if (layout.across > INT32_MAX / layout.down || count > INT32_MAX)
    throw Error(Failure::data, "too many strips or tiles");

  std::uint64_t rows = 0, end_of_last = 0, stored = 0;
  std::int64_t largest = 0, coefficients = 0;
  bool in_one_piece = uncompressed && !layout.tiled && format.planes == 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(tiff.get(), static_cast<std::uint32_t>(i));
    const std::uint64_t bytes = TIFFGetStrileByteCount(tiff.get(), static_cast<std::uint32_t>(i));
    if (offset == 0 || bytes == 0) throw Error(Failure::data, piece_name(layout, i) + " is missing");
    std::uint64_t needed = bytes;
    if (uncompressed) {
      const std::int64_t row = i % in_plane / layout.across * layout.height;
      const std::int64_t height = layout.tiled ? layout.height : std::min(layout.height, page_height - row);
      needed = static_cast<std::uint64_t>(height * layout.piece_row_bytes);
      if (bytes < needed) throw Error(Failure::data, piece_name(layout, i) + " is too short");
    }
    if (offset >= file.size() || needed > file.size() - offset)
      throw Error(Failure::data,
                  piece_name(layout, i) + " lies beyond the end of the file, which may be truncated");
    stored += bytes;
    if (!uncompressed) largest = std::max(largest, static_cast<std::int64_t>(bytes));
    if (compression == COMPRESSION_JPEG)
      coefficients = std::max(coefficients, check_jpeg(layout, file, offset, bytes));
    if (i == 0) rows = offset;
    in_one_piece = in_one_piece && (i == 0 || offset == end_of_last);
    end_of_last = offset + needed;
  }
  const double claimed =
      static_cast<double>(layout.row_bytes) * static_cast<double>(page_height) * format.planes;
  check_expansion(compression, claimed, page_height, stored);
  return {in_one_piece ? rows : 0, count, stored, largest, coefficients};
}

}  // namespace gpuccl::io
