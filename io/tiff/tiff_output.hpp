#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strip_file.hpp"

namespace gpuccl::io {

/// Properties shared by the pages of a TIFF of gray samples.
struct TiffPages {
  StripLayout strips;
  int bits_per_sample = 8;
  int sample_format = 1;  // SAMPLEFORMAT_UINT
  Compression compression = Compression::deflate;
  int deflate_level = 2;  // of libdeflate: 1 to 12
  BigTiff big = BigTiff::automatic;
  Resolution resolution;
  std::string description;               // of the first page; empty: none
  std::string imagej_lookup_table = {};  // IJMetadata of the first page; empty: none
};

/// Writes bytes at an offset of a file.
using WriteAt = std::function<void(const void* data, std::size_t bytes, std::uint64_t offset)>;

/// Offset of the first strip: after the header, with room for either form.
inline constexpr std::uint64_t kFirstStrip = 16;

/// A little-endian TIFF, one page a slice, whose directories come last.
class TiffFile final : public StripFile {
 public:
  /// Throws Error (usage) when this libtiff lacks the compression, (data) when the file passes 4 GiB without
  /// compression and must not be a BigTIFF.
  explicit TiffFile(TiffPages pages);

  const TiffPages& pages() const { return pages_; }

  std::vector<std::byte> head() const override { return std::vector<std::byte>(kFirstStrip); }
  void check_end(std::uint64_t strips_end) const override;
  void append(std::int64_t strip, const StripEntry& entry) override;
  void write_tail(int file, std::uint64_t strips_end) const override;

 private:
  TiffPages pages_;
  std::int64_t last_classic_end_;  // of strips
  std::vector<std::uint64_t> strip_ends_;
};

}  // namespace gpuccl::io
