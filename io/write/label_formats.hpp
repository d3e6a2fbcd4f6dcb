#pragma once

#include <cstdint>

#include "io/image/strips.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::io {

/// Bits of a sample; `type` is resolved, not automatic.
int bits_per_sample(LabelType type);

/// LabelSource::render as samples of `type`.
void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows, void* out);

/// LabelSource::prepare of what is written.
inline PrepareRows prepare_rows(const MappedLabels& labels) {
  return [&source = labels.labels](std::int64_t first_row, std::int64_t rows) {
    return source.prepare(first_row, rows);
  };
}

// One writer a format; `type` is resolved and fits the format.
void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options);
void write_png_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options);
void write_npy_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options);

}  // namespace gpuccl::io
