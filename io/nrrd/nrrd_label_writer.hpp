#pragma once

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as NRRD, compressed by gzip unless options.compression is none, with the space, directions,
/// spacing, origin and unit of the input. options.type is resolved.
LabelFile nrrd_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
