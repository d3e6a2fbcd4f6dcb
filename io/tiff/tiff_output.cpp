#include "io/tiff/tiff_output.hpp"

#include <tiffio.h>

#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/tiff/tiff_directories.hpp"
#include "io/tiff/tiff_scheme.hpp"

namespace gpuccl::io {
namespace {

static_assert(std::endian::native == std::endian::little, "strips go into the file as they lie in memory");

}  // namespace

TiffSizeLimit::TiffSizeLimit(const TiffPages& pages)
    : last_(pages.big == BigTiff::no ? last_classic_strip_end(pages) : INT64_MAX) {}

void TiffSizeLimit::check(std::int64_t strips_end) const {
  if (strips_end > last_)
    throw Error(Failure::data, "larger than the 4 GiB of a classic TIFF; allow --bigtiff auto");
}

void check_tiff(const TiffPages& pages) {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(tiff_scheme(pages.compression))) == 0)
    throw Error(Failure::usage, "this libtiff cannot write the compression asked for");
  // What will be too large without compression is so at once; all else when it turns out to be.
  const bool known = pages.compression == Compression::none;
  TiffSizeLimit(pages).check(known ? pages.strips.row_bytes * pages.strips.extent.rows() : 0);
}

void make_tiff_strips(const TiffPages& pages, StripRange range, const PrepareRows& prepare,
                      const NewStripMaker& new_maker,
                      const std::function<void(std::span<const std::byte> strip)>& take,
                      const std::function<void(double share)>& progress) {
  struct Slot {
    std::unique_ptr<StripMaker> maker;
    std::span<const std::byte> strip;
  };
  const auto make = [&](Slot& slot, std::int64_t strip) {
    if (!slot.maker) slot.maker = new_maker();
    slot.strip = slot.maker->make(strip);
  };
  const auto take_made = [&](Slot& slot, std::int64_t strip) {
    take(slot.strip);
    if (progress)
      progress(static_cast<double>(strip + 1 - range.begin) / static_cast<double>(range.end - range.begin));
  };
  for_each_strip<Slot>(pages.strips, range, prepare, make, take_made);
}

void finish_tiff(const WriteAt& write_at, const TiffPages& pages,
                 const std::vector<std::uint64_t>& strip_ends) {
  const std::int64_t last = last_classic_strip_end(pages);
  const bool fits = last >= 0 && strip_ends.back() <= static_cast<std::uint64_t>(last);
  TiffDirectories(pages, pages.big == BigTiff::yes || !fits).write(write_at, strip_ends);
}

void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare,
                const NewStripMaker& new_maker, const std::function<void(double share)>& progress) {
  check_tiff(pages);
  const WriteAt write_at = [&](const void* data, std::size_t bytes, std::uint64_t offset) {
    file.write_at(data, bytes, offset);
  };
  const TiffSizeLimit limit(pages);
  std::uint64_t end = kFirstStrip;
  std::vector<std::uint64_t> strip_ends;
  const auto take = [&](std::span<const std::byte> strip) {
    limit.check(static_cast<std::int64_t>(end + strip.size()));
    write_at(strip.data(), strip.size(), end);
    strip_ends.push_back(end += strip.size());
  };
  make_tiff_strips(pages, {0, pages.strips.count()}, prepare, new_maker, take, progress);
  finish_tiff(write_at, pages, strip_ends);
}

}  // namespace gpuccl::io
