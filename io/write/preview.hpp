#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Colour preview: every label its own stable colour on black. A volume becomes a contact sheet of its
/// slices, as plan_contact_sheet lays it out, with their numbers from 0 as in reports.
void write_preview(AtomicFile& file, const MappedLabels& labels);

}  // namespace gpuccl::io
