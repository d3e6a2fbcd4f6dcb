#pragma once

#include <cstddef>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// Returns the bytes before the samples of a label image: the header, and four bytes that specify no
/// extension.
std::vector<std::byte> nifti_label_header(const Extent& extent, LabelType type, const Geometry& geometry);

/// A label image as NIfTI-1, or as NIfTI-2 where the input was one or an axis has more than 32767 elements:
/// intent 1002, and the frame of the input as it is. options.type is resolved.
LabelFile nifti_label_file(const Extent& extent, const WriteOptions& options);

/// Writes a NIfTI compressed by gzip, in one member.
LabelFile nifti_gz_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
