#pragma once

#include "gpuccl/types.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Returns a label image as MRC2014 in little-endian order, with spacing and origin in angstrom. options.type
/// is resolved.
LabelFile mrc_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
