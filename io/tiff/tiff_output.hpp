#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// What the pages of a TIFF of gray samples have in common.
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

/// Makes strips as they go into the file, one after the other; several makers work at the same time.
class StripMaker {
 public:
  virtual ~StripMaker() = default;

  /// Valid until the next call.
  virtual std::span<const std::byte> make(std::int64_t strip) = 0;
};
using NewStripMaker = std::function<std::unique_ptr<StripMaker>()>;

/// How far the strips may go of a file that must not be a BigTIFF.
class TiffSizeLimit {
 public:
  explicit TiffSizeLimit(const TiffPages& pages);
  /// Error (data) if they go further.
  void check(std::int64_t strips_end) const;

 private:
  std::int64_t last_;
};

/// Writes bytes at an offset of a file.
using WriteAt = std::function<void(const void* data, std::size_t bytes, std::uint64_t offset)>;

/// Where the first strip begins: after the header, for which there is room in either form.
inline constexpr std::uint64_t kFirstStrip = 16;

/// The steps of write_tiff(), for a file of which several parts write a stretch each. What is wrong with the
/// file whatever its strips are like; Error as write_tiff().
void check_tiff(const TiffPages& pages);
/// Makes some of the strips; take(strip) has them in order.
void make_tiff_strips(const TiffPages& pages, StripRange range, const PrepareRows& prepare,
                      const NewStripMaker& new_maker,
                      const std::function<void(std::span<const std::byte> strip)>& take,
                      const std::function<void(double share)>& progress);
/// Header and directories; strip i ends at `strip_ends[i]`.
void finish_tiff(const WriteAt& write_at, const TiffPages& pages,
                 const std::vector<std::uint64_t>& strip_ends);

/// Writes a little-endian TIFF, one page a slice. Strips are made in parallel and written in order, after
/// `prepare` for them; the directories come last. `progress`, if any, is called now and then with the share
/// that is written. Error (usage) when this libtiff lacks the compression, (data) when the file passes 4 GiB
/// and must not be a BigTIFF, (io) when it does not take the bytes.
void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare,
                const NewStripMaker& new_maker, const std::function<void(double share)>& progress);

}  // namespace gpuccl::io
