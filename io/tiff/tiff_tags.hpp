#pragma once

#include <tiffio.h>

#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

/// TIFF's number of a compression.
int tiff_scheme(Compression compression);

/// Sets the tags that say how the samples of a page of `height` rows lie in its strips; false if libtiff
/// refuses.
bool set_sample_tags(TIFF* tiff, const TiffPages& pages, std::int64_t height);

}  // namespace gpuccl::io
