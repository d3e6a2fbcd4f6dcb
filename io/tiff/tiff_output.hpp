#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// What the pages of a TIFF of unsigned gray samples have in common.
struct TiffPages {
  StripLayout strips;
  int bits_per_sample = 8;
  Compression compression = Compression::deflate;
  int deflate_level = 2;  // of libdeflate: 1 to 12
  Spacing spacing;
  std::string description;  // of the first page; empty: none
};

/// Whether offsets may pass what 32 bits hold, however badly the samples compress. To be known before the
/// first byte is written.
bool needs_big_tiff(const TiffPages& pages);

/// Makes the samples of a strip, as TIFF wants them. Called from several threads.
using FillStrip = std::function<void(std::int64_t strip, std::byte* samples)>;

/// Writes a little-endian TIFF, one page a slice. Strips are made and compressed in parallel and written in
/// order, after `prepare` for them. `progress`, if any, is called now and then with the share that is
/// written. Error (usage) when this libtiff lacks the compression, (io) when the file does not take the
/// bytes.
void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare, const FillStrip& fill,
                const std::function<void(double share)>& progress);

}  // namespace gpuccl::io
