#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gpuccl::io {

enum class Wrapping { zlib, gzip };

/// Inflates members of gzip (RFC 1952) or a stream of zlib (RFC 1950) that fill `out` to its last byte, by
/// all threads of the caller's arena, as rapidgzip does (Knespel and Brunst 2023): all search for blocks,
/// inflate from there on without knowing what is before, to find the last 32 KiB of each piece, and then
/// inflate again, into place, each with the 32 KiB before it. Returns the bytes that were taken; nothing if
/// anything is damaged or unusual, if there is too little to share out, or if there are too few threads for
/// it to pay.
std::optional<std::size_t> inflate_in_parallel(Wrapping wrapping, std::span<const std::byte> in,
                                               std::span<std::byte> out);
/// Additional memory that it takes; 0 if there is too little to share out among the threads that are here.
std::size_t bytes_to_inflate_in_parallel(std::size_t stored, std::size_t bytes);

}  // namespace gpuccl::io
