#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as TIFF; `type` is resolved and fits the format. Throws Error (data, io).
void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);

}  // namespace gpuccl::io
