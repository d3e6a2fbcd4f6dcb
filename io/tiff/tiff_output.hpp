#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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
  Resolution resolution;
  std::string description;  // of the first page; empty: none
};

/// Makes strips as they go into the file, one after the other; several makers work at the same time.
class StripMaker {
 public:
  virtual ~StripMaker() = default;

  /// Valid until the next call.
  virtual std::span<const std::byte> make(std::int64_t strip) = 0;
};
using NewStripMaker = std::function<std::unique_ptr<StripMaker>()>;

/// Writes a little-endian TIFF, one page a slice. Strips are made in parallel and written in order, after
/// `prepare` for them; the directories come last. `progress`, if any, is called now and then with the share
/// that is written. Error (usage) when this libtiff lacks the compression, (data) when the file passes 4 GiB
/// and must not be a BigTIFF, (io) when it does not take the bytes.
void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare,
                const NewStripMaker& new_maker, const std::function<void(double share)>& progress);

}  // namespace gpuccl::io
