#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_filters.hpp"
#include "io/hdf5/hdf5_library.hpp"
#include "io/image/chunk_grid.hpp"

namespace gpuccl::io {

/// Properties of a dataset's samples, and their location.
struct Hdf5Array : ChunkGrid {
  bool swapped = false;  // samples have the other byte order
  bool is_chunked = false;
  Hdf5Filters filters;
  // Samples of a contiguous dataset; its chunks are ranges of them.
  // Null: never written.
  std::shared_ptr<const ByteSource> bytes;
  std::uint64_t offset = 0;
};

/// Numbers as samples: whole, floating-point, truth values, other enumerations, bit fields. Nothing if a
/// dataset holds anything else.
struct Hdf5Samples {
  SampleFormat format;
  bool swapped = false;
};
std::optional<Hdf5Samples> hdf5_samples(hid_t type);

/// Elements along each axis; none if it has no axes.
std::vector<std::uint64_t> hdf5_shape(hid_t dataset);

/// Call it with a Hdf5Lock. Throws Error (data) for samples that are not numbers, or lie in other files or
/// datasets.
Hdf5Array read_hdf5_array(hid_t dataset, const std::shared_ptr<const InputFile>& file);

}  // namespace gpuccl::io
