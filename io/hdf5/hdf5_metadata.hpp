#pragma once

#include "io/hdf5/hdf5_library.hpp"
#include "io/image/chunk_source.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Which axes a dataset of this shape has by its axistags (vigra, ilastik), else the last three but those of
/// one element; the size of elements by element_size_um, else by the axistags. Call it with a Hdf5Lock.
/// Throws Error (data).
ChunkedImage read_hdf5_metadata(hid_t dataset, const std::vector<std::uint64_t>& shape,
                                const PlaneChoice& choice);

}  // namespace gpuccl::io
