#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_filters.hpp"
#include "io/hdf5/hdf5_message.hpp"
#include "io/image/chunk_grid.hpp"

namespace gpuccl::io {

/// Properties and place of the samples of a dataset.
struct Hdf5Array : ChunkGrid {
  bool swapped = false;  // samples have the other byte order
  bool is_chunked = false;
  Hdf5Filters filters;
  // Chunks of a contiguous dataset are ranges of its samples.
  std::optional<std::uint64_t> offset;  // none: never written
  std::vector<std::byte> compact;       // samples that are in the header
  // Attributes; empty if there are none.
  std::string axistags;       // JSON
  std::vector<double> sizes;  // element_size_um: for the last two or three axes, x last
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

}  // namespace gpuccl::io
