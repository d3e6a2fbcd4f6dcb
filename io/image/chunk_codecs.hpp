#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/deflate/deflater.hpp"

namespace gpuccl::io {

/// Compression of chunks.
enum class ChunkCodec { zlib, gzip, zstd, blosc, lz4 };

/// Whether this build has the library that it takes.
bool is_built_in(ChunkCodec codec);

/// Whether `stored` is sound, and makes exactly the bytes of `out`.
bool decompress(ChunkCodec codec, std::span<const std::byte> stored, std::span<std::byte> out);

/// How chunks are compressed.
struct ChunkCompression {
  std::optional<ChunkCodec> codec;  // none: not compressed
  int level = 0;

  bool is_deflate() const { return codec == ChunkCodec::zlib || codec == ChunkCodec::gzip; }
};

/// Compresses chunks, one after the other. The bytes depend on nothing but samples, codec and level.
class ChunkCompressor {
 public:
  ChunkCompressor(const ChunkCompression& how, int sample_bytes);

  /// Valid until the next call, and as long as `samples`. Error (data) if the codec is not built in.
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
