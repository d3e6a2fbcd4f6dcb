#pragma once

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as PNG; options.type is resolved and fits the format. Throws Error (data).
LabelFile png_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
