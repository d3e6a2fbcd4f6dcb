#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/image/chunk_codecs.hpp"

namespace gpuccl::io {

/// Filter of the bytes of a chunk.
struct Hdf5Filter {
  enum class Kind : std::uint32_t { compressor, lzf, shuffle, checksum };
  static constexpr std::uint32_t kLargestElement = 64;  // in bytes; damaged files may give any number

  Kind kind = Kind::compressor;
  ChunkCodec codec = ChunkCodec::zlib;
  std::uint32_t element = 1;  // bytes, for shuffle
};

/// Filters of a dataset's chunks. They are decoded here and not by libhdf5, which lets a chunk grow to any
/// size that its compressed bytes claim, and lacks LZF, Blosc and Zstd.
class Hdf5Filters {
 public:
  Hdf5Filters() = default;
  /// Checks the filters. Throws Error (data) for combinations that no file has.
  explicit Hdf5Filters(std::vector<Hdf5Filter> filters);

  bool empty() const { return filters_.empty(); }
  const std::vector<Hdf5Filter>& list() const { return filters_; }
  /// Returns the maximum stored size of a chunk of `bytes` bytes.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` to exactly the bytes of `out`, without the filters in `skipped`, one bit per filter.
  /// Throws Error (data).
  void decode(std::span<const std::byte> stored, std::uint32_t skipped, std::span<std::byte> out) const;

 private:
  std::vector<Hdf5Filter> filters_;
};

/// Decodes LZF, a filter of h5py. Returns true if it is valid and makes exactly the bytes of `out`.
bool decode_lzf(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace gpuccl::io
