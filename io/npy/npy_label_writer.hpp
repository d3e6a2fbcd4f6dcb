#pragma once

#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// A label image as .npy; options.type is resolved and fits the format.
LabelFile npy_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
