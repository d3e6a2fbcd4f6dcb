#pragma once

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as MetaImage with its samples in the same file, compressed by zlib unless
/// options.compression is none, with spacing, directions and origin in LPS. options.type is resolved.
LabelFile metaimage_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
