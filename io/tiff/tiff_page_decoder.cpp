#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "io/tiff/tiff_format.hpp"

namespace gpuccl::io {
namespace {

/// Strips of more bytes than this are decoded row by row.
constexpr std::int64_t kMaxStripBytes = std::int64_t{32} << 20;
constexpr std::int64_t kBatchBytes = std::int64_t{1} << 18;  // of rows handed over together

bool is_read_by_rows(const TiffLayout& layout, int planes) {
  return !layout.tiled && planes == 1 && layout.piece_bytes() > kMaxStripBytes;
}

int rows_in_batch(const TiffLayout& layout) {
  return static_cast<int>(std::clamp<std::int64_t>(kBatchBytes / layout.row_bytes, 1, 64));
}

}  // namespace

std::int64_t TiffPageDecoder::buffer_bytes(const TiffLayout& layout, int planes, const TiffPieces& pieces) {
  if (is_read_by_rows(layout, planes)) return layout.row_bytes * rows_in_batch(layout) + pieces.coefficients;
  const std::int64_t band = layout.row_bytes * layout.height;
  return band * (planes > 1 ? 2 * planes : 1) + (layout.tiled ? layout.piece_bytes() : 0) + pieces.largest +
         pieces.coefficients;
}

TiffPageDecoder::TiffPageDecoder(TiffHandle& tiff, const TiffFormat& format, const Extent& extent)
    : tiff_(tiff), format_(format), extent_(extent), layout_(read_tiff_layout(tiff, format)) {
  const int compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  fills_in_ = is_fax(compression) || compression == COMPRESSION_JPEG;
}

int TiffPageDecoder::bands() const {
  return is_read_by_rows(layout_, format_.planes) ? 1 : static_cast<int>(layout_.down);
}

void TiffPageDecoder::decode(int begin, int end, const SampleSource::Sink& sink) {
  if (is_read_by_rows(layout_, format_.planes)) {
    decode_rows(sink);
  } else {
    decode_pieces(begin, end, sink);
  }
}

void TiffPageDecoder::decode_rows(const SampleSource::Sink& sink) {
  const int batch = rows_in_batch(layout_);
  const auto pitch = static_cast<std::size_t>(layout_.row_bytes);
  std::vector<std::byte> rows(pitch * static_cast<std::size_t>(batch));
  for (int y = 0; y < extent_.height; y += batch) {
    const int count = std::min(batch, extent_.height - y);
    for (int i = 0; i < count; ++i) {
      const bool good = TIFFReadScanline(tiff_.get(), rows.data() + static_cast<std::size_t>(i) * pitch,
                                         static_cast<std::uint32_t>(y + i), 0) == 1;
      check(good, fmt::format("row {}", y + i));
    }
    sink({format_.samples, y, count, rows.data(), pitch});
  }
}

void TiffPageDecoder::decode_pieces(int begin, int end, const SampleSource::Sink& sink) {
  const auto pitch = static_cast<std::size_t>(layout_.row_bytes);
  const auto plane_bytes = pitch * static_cast<std::size_t>(layout_.height);
  const auto plane_count = static_cast<std::size_t>(format_.planes);
  const auto planes = std::make_unique_for_overwrite<std::byte[]>(plane_bytes * plane_count);
  std::unique_ptr<std::byte[]> pixels;
  if (plane_count > 1) pixels = std::make_unique_for_overwrite<std::byte[]>(plane_bytes * plane_count);
  for (int down = begin; down < end; ++down) {
    const auto y = static_cast<int>(down * layout_.height);
    const int count = static_cast<int>(std::min<std::int64_t>(layout_.height, extent_.height - y));
    for (int plane = 0; plane < format_.planes; ++plane)
      read_band(plane, down, count, planes.get() + static_cast<std::size_t>(plane) * plane_bytes);
    if (plane_count > 1)
      interleave(planes.get(), plane_bytes, static_cast<std::size_t>(count) * pitch, pixels.get());
    sink({format_.samples, y, count, plane_count > 1 ? pixels.get() : planes.get(), pitch * plane_count});
  }
}

/// Reads the strip or the tiles that hold one band of rows of a plane.
void TiffPageDecoder::read_band(int plane, std::int64_t down, int rows, std::byte* out) {
  const std::int64_t first = (plane * layout_.down + down) * layout_.across;
  if (!layout_.tiled) {
    const auto bytes = static_cast<tmsize_t>(rows * layout_.row_bytes);
    check(TIFFReadEncodedStrip(tiff_.get(), static_cast<std::uint32_t>(first), out, bytes) == bytes,
          fmt::format("strip {}", first));
    return;
  }
  const auto tile_bytes = static_cast<tmsize_t>(layout_.piece_bytes());
  const auto tile_row = static_cast<std::size_t>(layout_.piece_row_bytes);
  tile_.resize(static_cast<std::size_t>(tile_bytes));
  for (std::int64_t i = 0; i < layout_.across; ++i) {
    check(TIFFReadEncodedTile(tiff_.get(), static_cast<std::uint32_t>(first + i), tile_.data(), tile_bytes) ==
              tile_bytes,
          fmt::format("tile {}", first + i));
    for (int y = 0; y < rows; ++y)
      std::memcpy(
          out + static_cast<std::size_t>(y * layout_.row_bytes) + static_cast<std::size_t>(i) * tile_row,
          tile_.data() + static_cast<std::size_t>(y) * tile_row, tile_row);
  }
}

/// `bytes` of each plane are there, of `plane_bytes` that it may have.
void TiffPageDecoder::interleave(const std::byte* planes, std::size_t plane_bytes, std::size_t bytes,
                                 std::byte* pixels) const {
  const auto sample = static_cast<std::size_t>(format_.samples.bits / 8);
  const auto channels = static_cast<std::size_t>(format_.planes);
  for (std::size_t plane = 0; plane < channels; ++plane)
    for (std::size_t i = 0; i < bytes / sample; ++i)
      std::memcpy(pixels + (i * channels + plane) * sample, planes + plane * plane_bytes + i * sample,
                  sample);
}

/// The decoders of fax and JPEG fill in what they cannot read and only say so.
void TiffPageDecoder::check(bool good, const std::string& what) const {
  const bool only_says_so = fills_in_ && !tiff_.warning().empty();
  if (!good || tiff_.has_error() || only_says_so) tiff_.fail_decoding(what + " is damaged");
}

}  // namespace gpuccl::io
