#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/image/chunk_codecs.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_format.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// Codec of the current page whose data have a checksum, Deflate or zstd. libtiff decodes both without
/// comparing it, so that damage can become other samples.
class CheckedCodec {
 public:
  /// Returns none for another compression, and for a predictor that libtiff rejects with its own message.
  static std::optional<CheckedCodec> of(const TiffHandle& tiff, const TiffFormat& format,
                                        const TiffLayout& layout);

  /// Returns whether the current page is compressed by Deflate.
  static bool is_deflate(const TiffHandle& tiff);

  /// Decodes strip or tile `index` to samples in the order of this machine. `out` has room for a whole one,
  /// of which `bytes` bytes are needed: the last strip may be stored with all rows or without those below the
  /// page. Returns false if data is damaged. Throws Error (io).
  bool decode(const TiffHandle& tiff, std::int64_t index, std::size_t bytes, std::span<std::byte> out) const;

  /// Returns whether zlib data starts at the offset of a strip, as in the file.
  bool is_zlib() const { return codec_ == ChunkCodec::zlib && !reversed_; }

  /// Makes samples of decoded rows.
  void restore(std::span<std::byte> rows) const;

 private:
  ChunkCodec codec_ = ChunkCodec::zlib;
  int predictor_ = 1, bits_ = 0;
  bool reversed_ = false;  // bits of compressed bytes
  bool swapped_ = false;
  std::size_t row_bytes_ = 0, channels_ = 1;  // of a row; samples of a pixel
};

/// Decodes the current page of a file, strip by strip or tile by tile, with libtiff or a CheckedCodec.
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
  void read_row(int y, std::span<std::byte> row);
  void decode_pieces(int begin, int end, const SampleSource::Sink& sink);
  void read_piece(std::int64_t index, std::size_t bytes, std::span<std::byte> out);
  void read_band(int plane, std::int64_t down, int rows, std::byte* out);
  void interleave(const std::byte* planes, std::size_t plane_bytes, std::size_t bytes,
                  std::byte* pixels) const;
  void check(bool good, const std::string& what) const;

  TiffHandle& tiff_;
  TiffFormat format_;
  Extent extent_;
  TiffLayout layout_;
  bool fills_in_ = false;  // damage is only a warning
  std::optional<CheckedCodec> codec_;
  std::optional<GunzipStream> strip_;  // that is read by rows
  std::vector<std::byte> tile_;
};

}  // namespace gpuccl::io
