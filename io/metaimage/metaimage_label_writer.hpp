#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as MetaImage with its samples in the same file, compressed by zlib unless
/// options.compression is none, with spacing, directions and origin in LPS. `type` is resolved. Throws Error
/// (data, io).
void write_metaimage_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                            const WriteOptions& options);

}  // namespace gpuccl::io
