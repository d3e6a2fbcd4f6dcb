#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/deflate/deflate.hpp"

namespace gpuccl::io {

/// Compression of chunks.
enum class ChunkCodec { zlib, gzip, zstd, blosc, lz4 };

/// Returns true if this build has the library of the codec.
bool is_built_in(ChunkCodec codec);

/// Returns the checksum that all data of the codec have; "" if there is none. zstd may have one, which is
/// compared, too.
const char* checksum_of(ChunkCodec codec);

/// Decompresses `stored`. Returns true if it is valid and makes exactly the bytes of `out`.
bool decompress(ChunkCodec codec, std::span<const std::byte> stored, std::span<std::byte> out);

/// Codec and level of chunks.
struct ChunkCompression {
  std::optional<ChunkCodec> codec;  // none: not compressed
  int level = 0;

  bool is_deflate() const { return codec == ChunkCodec::zlib || codec == ChunkCodec::gzip; }
};

/// Compressor of chunks, one after the other. The result depends only on samples, codec and level.
class ChunkCompressor {
 public:
  ChunkCompressor(const ChunkCompression& how, int sample_bytes);

  /// Returns compressed bytes, valid until the next call and as long as `samples`. Throws Error (data) if the
  /// codec is not built in.
  std::span<const std::byte> compress(std::span<const std::byte> samples);

 private:
  struct Free {
    void operator()(void* context) const;
  };

  ChunkCompression how_;
  [[maybe_unused]] int sample_bytes_;  // for Blosc
  std::optional<Deflater> deflater_;
  std::unique_ptr<void, Free> zstd_;
  std::vector<std::byte> stream_;
};

}  // namespace gpuccl::io
