#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as PNG; `type` is resolved and fits the format. Throws Error (data, io).
void write_png_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options);

}  // namespace gpuccl::io
