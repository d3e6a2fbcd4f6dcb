#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image/geometry.hpp"
#include "io/image/image_axes.hpp"
#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// The image in a Zarr store: an array, and which of its axes are those of an image.
struct OmeImage {
  std::string path;  // of the array in the store: "" or ending in "/"
  ZarrArray array;
  ImageAxes axes;
  Geometry geometry;
};

/// Returns whether the folder `path` is a Zarr: an image, or an array.
bool is_zarr(const std::string& path);
/// Returns whether `path` is a folder that is not a Zarr: a stack of slices, or images of a batch.
bool is_plain_folder(const std::string& path);

/// Finds the image of the largest scale in OME-Zarr 0.1 to 0.5 (Zarr v2 and v3), or an array without OME
/// metadata. `choice`: channel and time point. The metadata may take `memory` bytes. Throws Error
/// (data, memory, io).
OmeImage find_ome_image(const ZarrStore& store, std::int64_t memory, const PlaneChoice& choice);

}  // namespace gpuccl::io
