#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_library.hpp"
#include "io/image/cf_attributes.hpp"
#include "io/image/chunk_codecs.hpp"
#include "io/image/chunks.hpp"
#include "io/image/geometry.hpp"

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
  /// Returns the checksums of chunks.
  std::vector<std::string> checksums() const;
  const std::vector<Hdf5Filter>& list() const { return filters_; }
  /// Returns the maximum stored size of a chunk of `bytes` bytes.
  std::size_t most_stored(std::size_t bytes) const;
  /// Decodes `stored` to exactly the bytes of `out`, without the filters in `skipped`, one bit per filter.
  /// Throws Error (data).
  void decode(std::span<const std::byte> stored, std::uint32_t skipped, std::span<std::byte> out) const;

 private:
  std::vector<Hdf5Filter> filters_;
};

/// Properties and place of the samples of a dataset.
struct Hdf5Array : ChunkGrid {
  bool swapped = false;  // samples have the other byte order
  bool is_chunked = false;
  Hdf5Filters filters;
  // Chunks of a contiguous dataset are ranges of its samples.
  std::optional<std::uint64_t> offset;  // none: never written
  std::vector<std::byte> compact;       // samples that are in the header
  std::vector<Coordinates> scales;      // of each axis, or none
  // Attributes; empty if there are none.
  std::string axistags;       // JSON
  std::vector<double> sizes;  // element_size_um: for the last two or three axes, x last
  CfAttributes cf;
};

void put(Hdf5Message& message, const Hdf5Array& array);
/// Takes and checks an array. `file_bytes`: size of the file. Throws Error (data) for inconsistent numbers.
Hdf5Array take_hdf5_array(Hdf5Message& message, std::uint64_t file_bytes);

/// Place of a chunk in the file.
struct Hdf5Place {
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t skipped = 0;  // filters, one bit per filter
  std::uint32_t is_stored = 0;
};
constexpr std::size_t kPlacesAtOnce = 64;  // maximum in an answer

/// Moves the indices to the next chunk, the last axis first; returns false after the last chunk.
bool to_next_chunk(const ChunkGrid& grid, std::vector<std::uint64_t>& at);

/// Samples that are numbers: integers, floating-point numbers, enumerations or bit fields.
struct Hdf5Samples {
  SampleFormat format;
  bool swapped = false;
};
/// Returns nothing for a type that is not a number.
std::optional<Hdf5Samples> hdf5_samples(hid_t type);

/// Returns the elements along each axis; none for a dataset without axes.
std::vector<std::uint64_t> hdf5_shape(hid_t dataset);

/// Reads the properties of a dataset. Throws Error (data) if its samples are not numbers, or are in other
/// files or datasets.
Hdf5Array read_hdf5_array(hid_t dataset);

/// Finds the chunk with these indices. Throws Error (data).
Hdf5Place find_hdf5_chunk(hid_t dataset, const Hdf5Array& array, const std::vector<std::uint64_t>& at);

}  // namespace gpuccl::io
