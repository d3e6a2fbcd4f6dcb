#pragma once

#include <cstdint>

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as OME-Zarr into a folder: of the version of Zarr that the image has whose labels it
/// is one of, else 0.4. Chunks of background are left out. `type` is resolved. Throws Error (io).
void write_zarr_labels(AtomicFile& folder, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);

/// Bytes for each strip that is under way, of labels of which no row has more than `runs` runs.
std::int64_t bytes_of_zarr_strip(const Extent& extent, LabelType type, std::int64_t runs);

}  // namespace gpuccl::io
