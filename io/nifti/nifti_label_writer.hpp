#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as NIfTI-1, or as NIfTI-2 where the input was one or an axis has more than 32767
/// elements: intent 1002, and the frame of the input as it is. `type` is resolved. Throws Error (data, io).
void write_nifti_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                        const WriteOptions& options);

/// The same, compressed by gzip, in one member.
void write_nifti_gz_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                           const WriteOptions& options);

}  // namespace gpuccl::io
