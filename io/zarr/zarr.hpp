#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/image/strip_file.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// The image of an OME-Zarr, or a Zarr array; chunks are read and decoded in parallel. Throws Error.
std::unique_ptr<SampleSource> open_zarr(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleSource> open_zarr(std::shared_ptr<const ZarrStore> store, const ReadOptions& options);

/// Returns a label image as OME-Zarr, a folder whose name will be `path`. A label group has the Zarr version
/// of its image, others are OME-Zarr 0.4. Chunks of background are left out. options.type is
/// resolved.
LabelFile zarr_label_file(const std::string& path, const Extent& extent, const WriteOptions& options);

/// Returns the bytes for each strip in progress, if no row has more than `runs` runs.
std::int64_t bytes_of_zarr_strip(const Extent& extent, const WriteOptions& options, std::int64_t runs);

/// Returns the number of slices of a strip.
int slices_of_zarr_strip(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
