#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Colour preview: every label its own stable colour on black. A volume becomes a contact sheet of its
/// slices. At most about 2048 pixels a side (whole-number reduction, stated by nothing but its size).
void write_preview(AtomicFile& file, const MappedLabels& labels);

}  // namespace gpuccl::io
