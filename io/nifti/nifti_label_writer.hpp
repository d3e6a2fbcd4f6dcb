#pragma once

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as NIfTI-1, or as NIfTI-2 where the input was one or an axis has more than 32767 elements:
/// intent 1002, and the frame of the input as it is. options.type is resolved.
LabelFile nifti_label_file(const Extent& extent, const WriteOptions& options);

/// Writes a NIfTI compressed by gzip, in one member.
LabelFile nifti_gz_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
