#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as .npy; `type` is resolved and fits the format. Throws Error (data, io).
void write_npy_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options);

}  // namespace gpuccl::io
