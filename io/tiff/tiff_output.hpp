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
  BigTiff big = BigTiff::automatic;
  Spacing spacing;
  std::string description;  // of the first page; empty: none
};

/// Makes the samples of a strip, as TIFF wants them. Called from several threads.
using FillStrip = std::function<void(std::int64_t strip, std::byte* samples)>;

/// Writes a little-endian TIFF, one page a slice. Strips are made and compressed in parallel and written in
/// order, after `prepare` for them; the directories come last. `progress`, if any, is called now and then
/// with the share that is written. Error (usage) when this libtiff lacks the compression, (data) when the
/// file passes 4 GiB and must not be a BigTIFF, (io) when it does not take the bytes.
void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare, const FillStrip& fill,
                const std::function<void(double share)>& progress);

}  // namespace gpuccl::io
