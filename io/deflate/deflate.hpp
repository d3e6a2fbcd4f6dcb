#pragma once

#include <cstddef>
#include <memory>
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

}  // namespace gpuccl::io
