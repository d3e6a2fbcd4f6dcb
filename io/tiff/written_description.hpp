#pragma once

#include <string>

#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::io {

/// TIFF's ImageDescription as ImageJ writes it: a stack of slices, shown with a contrast from 0 to `max`.
std::string imagej_description(Extent extent, Label max, const Geometry& geometry);

}  // namespace gpuccl::io
