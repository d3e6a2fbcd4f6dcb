#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Colour preview: every label its own stable colour on black. A volume becomes a contact sheet of its
/// slices, as plan_contact_sheet lays it out, with their numbers from 0 as in reports.
void write_preview(AtomicFile& file, const MappedLabels& labels);

/// Bytes that this takes for runs of rows, of which no row has more than `runs`.
std::int64_t bytes_of_preview_rows(Extent extent, std::int64_t runs);

}  // namespace gpuccl::io
