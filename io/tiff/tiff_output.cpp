#include "io/tiff/tiff_output.hpp"

#include <tiffio.h>

#include <bit>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/tiff/tiff_directories.hpp"
#include "io/tiff/tiff_scheme.hpp"

namespace gpuccl::io {

static_assert(std::endian::native == std::endian::little, "strips go into the file as they lie in memory");

TiffFile::TiffFile(TiffPages pages)
    : StripFile(pages.strips, pages.compression == Compression::none ? Places::known : Places::after_others),
      pages_(std::move(pages)),
      last_classic_end_(last_classic_strip_end(pages_)) {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(tiff_scheme(pages_.compression))) == 0)
    throw Error(Failure::usage, "this libtiff cannot write the compression asked for");
  // Uncompressed files that will be too large are known at once, others when they exceed the limit.
  const bool known = places() == Places::known;
  check_end(known ? static_cast<std::uint64_t>(strips().row_bytes * strips().extent.rows()) : 0);
}

void TiffFile::check_end(std::uint64_t strips_end) const {
  if (pages_.big == BigTiff::no && static_cast<std::int64_t>(strips_end) > last_classic_end_)
    throw Error(Failure::data, "larger than the 4 GiB of a classic TIFF; allow --bigtiff auto");
}

void TiffFile::append(std::int64_t /*strip*/, const StripEntry& entry) {
  strip_ends_.push_back((strip_ends_.empty() ? kFirstStrip : strip_ends_.back()) + entry.bytes);
}

void TiffFile::write_tail(int file, std::uint64_t strips_end) const {
  std::vector<std::uint64_t> known;
  if (places() == Places::known)
    for (std::int64_t strip = 0; strip < strips().count(); ++strip)
      known.push_back((known.empty() ? kFirstStrip : known.back()) + strips().bytes(strip));
  const bool fits = last_classic_end_ >= 0 && strips_end <= static_cast<std::uint64_t>(last_classic_end_);
  const WriteAt write_at = [file](const void* data, std::size_t bytes, std::uint64_t offset) {
    write_all_at(file, data, bytes, offset);
  };
  TiffDirectories(pages_, pages_.big == BigTiff::yes || !fits)
      .write(write_at, known.empty() ? strip_ends_ : known);
}

}  // namespace gpuccl::io
