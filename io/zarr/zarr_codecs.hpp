#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/chunk_codecs.hpp"

namespace gpuccl::io {

/// The compressor of this name in Zarr v2 or v3, nothing for a checksum. Error (data) for one that is not
/// known, or that this build lacks.
std::optional<ChunkCodec> zarr_codec(std::string_view name);

/// Codecs that this build has, for messages and `gpuccl info`: "zlib, gzip, zstd, blosc, lz4".
std::string zarr_codecs_in_words();

/// Codecs from bytes to bytes, in the order of encoding; at most one compressor.
class ZarrCodecs {
 public:
  /// Error (data) where there would be two compressors.
  void add(std::optional<ChunkCodec> codec);

  bool empty() const { return codecs_.empty(); }
  /// The most bytes that a chunk of so many may be stored as.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` into exactly the bytes of `out`. Error (data).
  void decode(std::span<const std::byte> stored, std::span<std::byte> out) const;

 private:
  std::vector<std::optional<ChunkCodec>> codecs_;
};

}  // namespace gpuccl::io
