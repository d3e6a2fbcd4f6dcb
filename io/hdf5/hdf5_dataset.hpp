#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {

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
