#pragma once

#include <memory>
#include <string>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// The image of an OME-Zarr, or a Zarr array; chunks are read and decoded in parallel. Throws Error.
std::unique_ptr<SampleSource> open_zarr(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleSource> open_zarr(std::shared_ptr<const ZarrStore> store, const ReadOptions& options);

}  // namespace gpuccl::io
