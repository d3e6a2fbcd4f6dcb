#pragma once

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/tiff/tiff_strip_encoder.hpp"

namespace gpuccl::io {

/// The pages and strips of a label image; `type` is resolved. The labels outlive it.
struct TiffLabels {
  TiffLabels(const MappedLabels& labels, LabelType type, const WriteOptions& options);
  TiffLabels(const TiffLabels&) = delete;
  TiffLabels& operator=(const TiffLabels&) = delete;

  TiffPages pages;
  FillStrip fill;
  NewStripMaker new_maker;
};

/// Writes a label image as TIFF; `type` is resolved and fits the format. Throws Error (data, io).
void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);

/// Bytes that this takes for each strip that is under way, of labels of which no row has more than `runs`
/// runs.
std::int64_t bytes_of_tiff_strip(const StripLayout& strips, LabelType type, Compression compression,
                                 std::int64_t runs);

}  // namespace gpuccl::io
