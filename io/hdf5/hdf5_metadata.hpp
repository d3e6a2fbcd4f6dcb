#pragma once

#include "io/hdf5/hdf5_library.hpp"
#include "io/image/chunk_source.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Returns the axes of a dataset of this shape from its axistags (vigra, ilastik); by default the last three
/// axes longer than 1. The voxel spacing is from element_size_um, else from the axistags. Requires a
/// Hdf5Lock. Throws Error (data).
ChunkedImage read_hdf5_metadata(hid_t dataset, const std::vector<std::uint64_t>& shape,
                                const PlaneChoice& choice);

}  // namespace gpuccl::io
