#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {

/// Numbers as samples: whole, floating-point, truth values, other enumerations, bit fields. Nothing if a
/// dataset holds anything else.
struct Hdf5Samples {
  SampleFormat format;
  bool swapped = false;
};
std::optional<Hdf5Samples> hdf5_samples(hid_t type);

/// Elements along each axis; none if it has no axes.
std::vector<std::uint64_t> hdf5_shape(hid_t dataset);

/// Asks libhdf5. Throws Error (data) for samples that are not numbers, or lie in other files or datasets.
Hdf5Array read_hdf5_array(hid_t dataset);

/// Asks libhdf5 where the chunk with these indices is. Throws Error (data).
Hdf5Place find_hdf5_chunk(hid_t dataset, const Hdf5Array& array, const std::vector<std::uint64_t>& at);

}  // namespace gpuccl::io
