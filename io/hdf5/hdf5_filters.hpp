#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/hdf5/hdf5_library.hpp"
#include "io/image/chunk_codecs.hpp"

namespace gpuccl::io {

/// Filters of a dataset's chunks. They are decoded here and not by libhdf5, which lets a chunk grow to any
/// size that its compressed bytes claim, and lacks LZF, Blosc and Zstd.
class Hdf5Filters {
 public:
  Hdf5Filters() = default;
  /// Reads the filters from the creation properties. Throws Error (data) for an unknown one.
  explicit Hdf5Filters(hid_t properties);

  bool empty() const { return filters_.empty(); }
  /// The most bytes that a chunk of so many may be stored as.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` into exactly the bytes of `out`; of the filters in `skipped`, a bit each, nothing was
  /// used. Error (data).
  void decode(std::span<const std::byte> stored, std::uint32_t skipped, std::span<std::byte> out) const;

 private:
  enum class Kind { compressor, lzf, shuffle, checksum };
  struct Filter {
    Kind kind = Kind::compressor;
    ChunkCodec codec = ChunkCodec::zlib;
    std::size_t element = 1;  // bytes that are shuffled
  };

  static Filter known_filter(H5Z_filter_t filter, std::span<const unsigned> values, const char* name);

  std::vector<Filter> filters_;
};

/// Decodes LZF, of which h5py makes use; whether it is sound, and makes exactly the bytes of `out`.
bool decode_lzf(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace gpuccl::io
