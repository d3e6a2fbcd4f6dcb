#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct libdeflate_compressor;
namespace gpuccl::io {

/// Compresses strips into zlib streams, one after the other. The bytes depend on nothing but data and level.
class Deflater {
 public:
  /// `level`: 1 (fastest) to 12 (smallest).
  explicit Deflater(int level);

  /// Compresses into `out`, which grows as needed and may be larger than the stream. Returns the size of the
  /// stream. Strips of zeros, common in label images, cost only a scan.
  std::size_t compress(const void* data, std::size_t bytes, std::vector<std::byte>& out);
  /// Compresses into a gzip file.
  std::size_t compress_gzip(const void* data, std::size_t bytes, std::vector<std::byte>& out);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const;
  };
  std::size_t compress_any(const void* data, std::size_t bytes, std::vector<std::byte>& out);

  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<std::byte> zeros_;  // the stream of `zero_bytes_` zeros
  std::size_t zeros_size_ = 0;
  std::size_t zero_bytes_ = 0;
};

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
