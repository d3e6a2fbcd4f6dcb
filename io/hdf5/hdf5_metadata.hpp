#pragma once

#include "io/hdf5/hdf5_array.hpp"
#include "io/image/chunk_source.hpp"
#include "io/image/image_axes.hpp"

namespace gpuccl::io {

/// Returns the axes of the image by the axistags of the dataset, and their spacing by element_size_um or
/// axistags. Throws Error (data) as choose_axes() does.
ChunkedImage image_of(const Hdf5Array& array, const PlaneChoice& choice);

}  // namespace gpuccl::io
