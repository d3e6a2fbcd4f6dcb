#pragma once

#include <cstddef>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Returns the bytes before the samples of a label image: the header, and four bytes that specify no
/// extension.
std::vector<std::byte> nifti_label_header(const Extent& extent, LabelType type, const Geometry& geometry);

}  // namespace gpuccl::io
