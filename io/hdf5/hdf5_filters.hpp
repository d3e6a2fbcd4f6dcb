#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/image/chunk_codecs.hpp"

namespace gpuccl::io {

/// One step that the bytes of a chunk went through.
struct Hdf5Filter {
  enum class Kind : std::uint32_t { compressor, lzf, shuffle, checksum };
  static constexpr std::uint32_t kLargestElement = 64;  // bytes; of damaged files it may be anything

  Kind kind = Kind::compressor;
  ChunkCodec codec = ChunkCodec::zlib;
  std::uint32_t element = 1;  // bytes that are shuffled
};

/// Filters of a dataset's chunks. They are decoded here and not by libhdf5, which lets a chunk grow to any
/// size that its compressed bytes claim, and lacks LZF, Blosc and Zstd.
class Hdf5Filters {
 public:
  Hdf5Filters() = default;
  /// Error (data) if no file has such ones.
  explicit Hdf5Filters(std::vector<Hdf5Filter> filters);

  bool empty() const { return filters_.empty(); }
  const std::vector<Hdf5Filter>& list() const { return filters_; }
  /// The most bytes that a chunk of so many may be stored as.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` into exactly the bytes of `out`; of the filters in `skipped`, a bit each, nothing was
  /// used. Error (data).
  void decode(std::span<const std::byte> stored, std::uint32_t skipped, std::span<std::byte> out) const;

 private:
  std::vector<Hdf5Filter> filters_;
};

/// Decodes LZF, of which h5py makes use; whether it is sound, and makes exactly the bytes of `out`.
bool decode_lzf(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace gpuccl::io
