#pragma once

#include "io/image/geometry.hpp"
#include "io/tiff/tiff_description.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// The resolution of the current page.
Resolution read_resolution(const TiffHandle& tiff);

/// Adds the spacing of the description. A resolution is ImageJ's spacing if the description has a unit. On
/// its own, in inches or centimeters, it is the print resolution of a page.
void add_spacing(const TiffDescription& description, Geometry& geometry);

}  // namespace gpuccl::io
