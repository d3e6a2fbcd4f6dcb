#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_filters.hpp"
#include "io/hdf5/hdf5_message.hpp"
#include "io/image/chunk_grid.hpp"

namespace gpuccl::io {

/// Properties of the samples of a dataset, and where they are.
struct Hdf5Array : ChunkGrid {
  bool swapped = false;  // samples have the other byte order
  bool is_chunked = false;
  Hdf5Filters filters;
  // A contiguous dataset has ranges of its samples as chunks.
  std::optional<std::uint64_t> offset;  // none: never written
  std::vector<std::byte> compact;       // samples that are in the header
  // Attributes; empty if it has none.
  std::string axistags;       // JSON
  std::vector<double> sizes;  // element_size_um: for the last two or three axes, x last
};

void put(Hdf5Message& message, const Hdf5Array& array);
/// Error (data) if it is none that fits together; `file_bytes`: of the file in which its samples are.
Hdf5Array take_hdf5_array(Hdf5Message& message, std::uint64_t file_bytes);

/// Where a chunk is in the file.
struct Hdf5Place {
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t skipped = 0;  // filters, a bit each
  std::uint32_t is_stored = 0;
};
constexpr std::size_t kPlacesAtOnce = 64;  // maximum in an answer

/// Sets the indices of a chunk to those of the next, the last axis first; false after the last chunk.
bool to_next_chunk(const ChunkGrid& grid, std::vector<std::uint64_t>& at);

}  // namespace gpuccl::io
