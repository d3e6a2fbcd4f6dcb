#pragma once

#include <string>

#include "io/tiff/tiff_description.hpp"

namespace gpuccl::io {

/// Adds what OME-XML specifies of images, planes and the size of pixels to `description`. `samples_per_pixel`
/// channels are in each plane. Text that is not XML adds nothing. Throws Error (data) for metadata that take
/// more memory than any image needs.
void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description);

}  // namespace gpuccl::io
