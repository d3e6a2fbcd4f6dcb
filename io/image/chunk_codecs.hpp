#pragma once

#include <cstddef>
#include <span>

namespace gpuccl::io {

/// Compression of chunks.
enum class ChunkCodec { zlib, gzip, zstd, blosc, lz4 };

/// Whether this build has the library that it takes.
bool is_built_in(ChunkCodec codec);

/// Whether `stored` is sound, and makes exactly the bytes of `out`.
bool decompress(ChunkCodec codec, std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace gpuccl::io
