#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as NRRD, compressed by gzip unless options.compression is none, with the space,
/// directions, spacing, origin and unit of the input. `type` is resolved. Throws Error (data, io).
void write_nrrd_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);

}  // namespace gpuccl::io
