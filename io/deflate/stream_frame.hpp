#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/deflate/adler32.hpp"

// Headers and trailers around Deflate blocks of a stream that is made in parts.
namespace gpuccl::io {

/// Header of a zlib stream (RFC 1950); an empty last block, and the checksum of what all blocks hold.
std::vector<std::byte> zlib_begin();
std::vector<std::byte> zlib_end(const Adler32& checksum);

/// Header of a gzip file (RFC 1952), then `head`, of less than 64 KiB, as a block that is not compressed.
std::vector<std::byte> gzip_begin(std::span<const std::byte> head);
/// An empty last block, the checksum of what all blocks hold, and how long that is.
std::vector<std::byte> gzip_end(std::uint32_t checksum, std::uint64_t bytes);

}  // namespace gpuccl::io
