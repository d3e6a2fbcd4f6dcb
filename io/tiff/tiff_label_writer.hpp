#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Writes a label image as TIFF; `type` is resolved and fits the format. Throws Error (data, io).
void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);

/// Bytes that this takes for each strip that is under way, of labels of which no row has more than `runs`
/// runs.
std::int64_t bytes_of_tiff_strip(const StripLayout& strips, LabelType type, Compression compression,
                                 std::int64_t runs);

}  // namespace gpuccl::io
