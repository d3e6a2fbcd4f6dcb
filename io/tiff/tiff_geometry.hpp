#pragma once

#include "io/image/geometry.hpp"
#include "io/tiff/tiff_description.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// The resolution of the current page.
Resolution read_resolution(const TiffHandle& tiff);

/// What the description says of the size of elements. The resolution is that of ImageJ's spacing where there
/// is a unit for it; alone, in inches or centimetres, it is how a page is printed.
void add_spacing(const TiffDescription& description, Geometry& geometry);

}  // namespace gpuccl::io
