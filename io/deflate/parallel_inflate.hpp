#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gpuccl::io {

enum class Wrapping { zlib, gzip };

/// Inflates members of gzip (RFC 1952) or a stream of zlib (RFC 1950) that fill `out` to its last byte, with
/// all threads of the caller's arena, as rapidgzip does (Knespel and Brunst 2023). The threads search for
/// blocks. They inflate from each without the bytes before it, to find the last 32 KiB of each piece. Then
/// they inflate each piece into place, after the 32 KiB before it. Returns the number of bytes taken; nothing
/// if the stream is damaged, unusual or short, or if there are too few threads.
std::optional<std::size_t> inflate_in_parallel(Wrapping wrapping, std::span<const std::byte> in,
                                               std::span<std::byte> out);
/// Returns the maximum of stored bytes to inflate in parallel: of longer streams, `bytes` are only a part.
constexpr std::uint64_t most_stored_in_parallel(std::uint64_t bytes) { return bytes + bytes / 8; }
/// Returns the additional memory that it takes; 0 if the stream is too short for the threads of the arena.
std::size_t bytes_to_inflate_in_parallel(std::size_t stored, std::size_t bytes);

}  // namespace gpuccl::io
