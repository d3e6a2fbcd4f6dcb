#pragma once

#include <functional>
#include <string>

#include "gpuccl/parts.hpp"
#include "io/image/label_image.hpp"
#include "io/parts/shared_file.hpp"
#include "io/report/component_rows.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::io {

/// Writes the label image into `file`, all parts together, each the rows of its slab of
/// cut_into_parts(), which joined_labels() of NumberedPart::labels can render. options.type is resolved. The
/// bytes are those of write_labels(). A part encodes the strips that begin in its rows. What is compressed
/// waits in memory or in a temporary file until it is known where it goes, but in part 0. Returns the sum of
/// the whole image for its ContentHash. Throws as collectively().
std::uint64_t write_labels_in_parts(PartLink& link, SharedFile& file, LabelFormat format,
                                    const LabelSource& labels, const WriteOptions& options);

/// Writes the preview of a whole of which `labels` are the rows of this part. `file`: of part 0, null in
/// others. Throws as collectively().
void write_preview_in_parts(PartLink& link, AtomicFile* file, const std::string& path, const Extent& whole,
                            const MappedLabels& labels, const std::function<Preview()>& start);

/// Writes a text of which make(sink) makes this part's stretch, one stretch after the other. Throws as
/// collectively().
void write_text_in_parts(PartLink& link, SharedFile& file, const std::function<void(const TextSink&)>& make);

}  // namespace gpuccl::io
