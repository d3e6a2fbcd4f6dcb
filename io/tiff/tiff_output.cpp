#include "io/tiff/tiff_output.hpp"

#include <tiffio.h>

#include <array>
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

/// The strips of a TIFF, then what makes a TIFF of them.
class TiffOutput {
 public:
  TiffOutput(AtomicFile& file, const TiffPages& pages);

  /// Strip after strip, as they go into the file.
  void write_strip(std::span<const std::byte> encoded);
  void finish();

 private:
  void check_size(double strips_end) const;

  AtomicFile& file_;
  const TiffPages& pages_;
  std::int64_t last_classic_end_;
  std::uint64_t end_ = kFirstStrip;
  std::vector<std::uint64_t> strip_ends_;
};

TiffOutput::TiffOutput(AtomicFile& file, const TiffPages& pages)
    : file_(file), pages_(pages), last_classic_end_(last_classic_strip_end(pages)) {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(tiff_scheme(pages.compression))) == 0)
    throw Error(Failure::usage, "this libtiff cannot write the compression asked for");
  // What will be too large without compression is so at once; all else when it turns out to be.
  const bool known = pages.compression == Compression::none;
  check_size(known ? static_cast<double>(pages.strips.row_bytes) *
                         static_cast<double>(pages.strips.extent.rows())
                   : 0);
  const std::array<std::byte, kFirstStrip> header{};
  file.write(header.data(), header.size());
}

void TiffOutput::check_size(double strips_end) const {
  if (pages_.big == BigTiff::no && strips_end > static_cast<double>(last_classic_end_))
    throw Error(Failure::data, "larger than the 4 GiB of a classic TIFF; allow --bigtiff auto");
}

void TiffOutput::write_strip(std::span<const std::byte> encoded) {
  end_ += encoded.size();
  check_size(static_cast<double>(end_));
  file_.write(encoded.data(), encoded.size());
  strip_ends_.push_back(end_);
}

void TiffOutput::finish() {
  const bool fits = last_classic_end_ >= 0 && end_ <= static_cast<std::uint64_t>(last_classic_end_);
  TiffDirectories(pages_, pages_.big == BigTiff::yes || !fits).write(file_, strip_ends_);
}

}  // namespace

void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare,
                const NewStripMaker& new_maker, const std::function<void(double share)>& progress) {
  struct Slot {
    std::unique_ptr<StripMaker> maker;
    std::span<const std::byte> strip;
  };
  TiffOutput tiff(file, pages);
  const StripLayout& strips = pages.strips;
  const auto make = [&](Slot& slot, std::int64_t strip) {
    if (!slot.maker) slot.maker = new_maker();
    slot.strip = slot.maker->make(strip);
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    tiff.write_strip(slot.strip);
    if (progress) progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  for_each_strip<Slot>(strips, prepare, make, take);
  tiff.finish();
}

}  // namespace gpuccl::io
