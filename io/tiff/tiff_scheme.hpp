#pragma once

#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// TIFF's number of a compression.
int tiff_scheme(Compression compression);

}  // namespace gpuccl::io
