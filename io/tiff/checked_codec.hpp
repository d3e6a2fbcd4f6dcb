#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/image/chunk_codecs.hpp"
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

}  // namespace gpuccl::io
