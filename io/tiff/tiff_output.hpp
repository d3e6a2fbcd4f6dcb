#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "io/deflate/deflate.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Returns TIFF's number of a compression.
int tiff_scheme(Compression compression);

/// Properties shared by the pages of a TIFF of gray samples.
struct TiffPages {
  StripLayout strips;
  int bits_per_sample = 8;
  int sample_format = 1;  // SAMPLEFORMAT_UINT
  Compression compression = Compression::deflate;
  int deflate_level = 2;  // of libdeflate: 1 to 12
  BigTiff big = BigTiff::automatic;
  Resolution resolution;
  std::string description;  // of the first page; empty: none
};

/// Writes bytes at an offset of a file.
using WriteAt = std::function<void(const void* data, std::size_t bytes, std::uint64_t offset)>;

/// Offset of the first strip: after the header, with room for either form.
inline constexpr std::uint64_t kFirstStrip = 16;

/// A little-endian TIFF with one page per slice. Its directories are at the end.
class TiffFile final : public StripFile {
 public:
  /// Throws Error (usage) if this libtiff lacks the compression, (data) if the uncompressed file exceeds 4
  /// GiB and must not be a BigTIFF.
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

/// Header and directories of a little-endian TIFF whose strips are consecutive from kFirstStrip on, with the
/// directories after them. So readers such as ImageJ can compute the offsets of uncompressed pages, and the
/// choice of BigTIFF can wait until the size of the file is known.
class TiffDirectories {
 public:
  /// `big`: BigTIFF, offsets of 64 bits.
  TiffDirectories(const TiffPages& pages, bool big) : pages_(pages), big_(big) {}

  std::uint64_t bytes() const;

  /// Writes the header and, after the strips, the directories. Strip i ends at `strip_ends[i]`.
  void write(const WriteAt& write_at, const std::vector<std::uint64_t>& strip_ends) const;

 private:
  std::string page(std::int64_t slice, std::uint64_t offset,
                   const std::vector<std::uint64_t>& strip_ends) const;

  const TiffPages& pages_;
  bool big_;
};

/// Returns the largest end of the strips for which 32-bit offsets suffice (classic TIFF); may be negative.
std::int64_t last_classic_strip_end(const TiffPages& pages);

/// Returns an ImageDescription as ImageJ writes it: a stack of slices, shown with a contrast from 0 to `max`.
std::string imagej_description(Extent extent, Label max, const Geometry& geometry);

/// Returns an ImageDescription as OME-XML (schema 2016-06): one channel and one time point of pages along z.
/// Error (data) for integers of 64 bits, which OME does not have.
std::string ome_xml(Extent extent, LabelType type, const Geometry& geometry);

/// Writes the samples of a strip in the layout of TIFF. Called from several threads.
using FillStrip = std::function<void(std::int64_t strip, std::byte* samples)>;

/// Compresses the samples of strips: Deflate with libdeflate, other methods with libtiff.
class TiffStripEncoder final : public StripEncoder {
 public:
  /// `pages` must outlive it.
  TiffStripEncoder(const TiffPages& pages, FillStrip fill) : pages_(pages), fill_(std::move(fill)) {}

  EncodedStrip encode(std::int64_t strip) override;

 private:
  const TiffPages& pages_;
  FillStrip fill_;
  std::optional<Deflater> deflater_;
  std::vector<std::byte> samples_, encoded_;
};

}  // namespace gpuccl::io
