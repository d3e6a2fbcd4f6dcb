#pragma once

#include <string>

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// What stands before the samples.
std::string npy_header(Extent extent, LabelType type);

/// Writes a label image as .npy; `type` is resolved and fits the format. Throws Error (data, io).
void write_npy_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options);

}  // namespace gpuccl::io
