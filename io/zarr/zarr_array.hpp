#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/chunk_codecs.hpp"
#include "io/image/chunks.hpp"
#include "io/image/read_options.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// The checksum by Castagnoli's polynomial (RFC 3720, 12.1).
std::uint32_t crc32c(std::span<const std::byte> bytes);

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
  /// The checksums of chunks.
  std::vector<std::string> checksums() const;
  /// The most bytes that a chunk of so many may be stored as.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` into exactly the bytes of `out`. Error (data).
  void decode(std::span<const std::byte> stored, std::span<std::byte> out) const;

 private:
  std::vector<std::optional<ChunkCodec>> codecs_;
};

/// A shard is a file of many chunks and an index of where they are.
struct ZarrShards {
  std::vector<std::uint64_t> chunks;  // in a shard, along each axis
  bool index_first = false;           // at the beginning of the file, not at its end
  bool index_swapped = false;         // in the other byte order
  bool index_has_checksum = false;

  std::uint64_t count() const;
  std::uint64_t index_bytes() const { return count() * 16 + (index_has_checksum ? 4 : 0); }
};

/// Metadata of an array, from .zarray (Zarr v2) or zarr.json (v3). Axes are in the order of the file.
struct ZarrArray : ChunkGrid {
  bool is_v3 = false;
  bool swapped = false;  // samples have the other byte order
  ZarrCodecs codecs;
  std::optional<ZarrShards> shards;
  std::string key_prefix;  // of the names of chunks
  char key_separator = '.';

  /// The file of a chunk or shard, by its index along each axis.
  std::string key(const std::vector<std::uint64_t>& at) const;
};

/// The array that these documents describe. A chunk has less than 2^31 bytes. Throws Error (data).
ZarrArray parse_zarr_v2(const nlohmann::json& zarray);
ZarrArray parse_zarr_v3(const nlohmann::json& zarr_json);

// Fields of both versions:

/// Checks shape and chunk, fills `order` if it is empty, and the fill value from what stands in JSON.
void complete(ZarrArray& array, const nlohmann::json& fill_value);

}  // namespace gpuccl::io
