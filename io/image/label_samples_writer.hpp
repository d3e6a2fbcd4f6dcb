#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"

// Labels as samples of `type`, which is resolved, one after the other: what formats have after their header.
// Made strip by strip in parallel. Throws Error (io).
namespace gpuccl::io {

void write_label_samples(AtomicFile& file, const MappedLabels& labels, LabelType type,
                         const WriteOptions& options);

/// In one member of gzip, after `head`.
void write_gzip_label_samples(AtomicFile& file, std::span<const std::byte> head, const MappedLabels& labels,
                              LabelType type, const WriteOptions& options);

/// In a zlib stream.
void write_zlib_label_samples(AtomicFile& file, const MappedLabels& labels, LabelType type,
                              const WriteOptions& options);

/// Bytes that the last two take for each strip that is under way, of rows of at most `runs` runs.
std::int64_t bytes_of_gzip_strip(const StripLayout& strips, std::int64_t runs);
std::int64_t bytes_of_zlib_strip(const StripLayout& strips, std::int64_t runs);

}  // namespace gpuccl::io
