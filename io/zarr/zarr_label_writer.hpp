#pragma once

#include <cstdint>
#include <string>

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as OME-Zarr, which is a folder that gets the name `path`: of the version of Zarr that the
/// image has whose labels it is one of, else 0.4. Chunks of background are left out. options.type is
/// resolved.
LabelFile zarr_label_file(const std::string& path, const Extent& extent, const WriteOptions& options);

/// Bytes for each strip that is under way, of labels of which no row has more than `runs` runs.
std::int64_t bytes_of_zarr_strip(const Extent& extent, const WriteOptions& options, std::int64_t runs);

/// Slices that such a strip has.
int slices_of_zarr_strip(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
