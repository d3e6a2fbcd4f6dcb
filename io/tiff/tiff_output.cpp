#include "io/tiff/tiff_output.hpp"

#include <tiff.h>
#include <tiffio.h>

#include <bit>
#include <cmath>
#include <limits>

#include "io/files/descriptor.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {

static_assert(std::endian::native == std::endian::little, "strips go into the file as they lie in memory");

TiffFile::TiffFile(TiffPages pages)
    : StripFile(pages.strips, pages.compression == Compression::none ? StripPlacement::known
                                                                     : StripPlacement::after_others),
      pages_(std::move(pages)),
      last_classic_end_(last_classic_strip_end(pages_)) {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(tiff_scheme(pages_.compression))) == 0)
    throw Error(ErrorCode::usage, "this libtiff cannot write the compression asked for");
  // Uncompressed files that will be too large are known at once, others when they exceed the limit.
  const bool known = places() == StripPlacement::known;
  check_end(known ? static_cast<std::uint64_t>(strips().row_bytes * strips().extent.rows()) : 0);
}

void TiffFile::check_end(std::uint64_t strips_end) const {
  if (pages_.big == BigTiff::no && static_cast<std::int64_t>(strips_end) > last_classic_end_)
    throw Error(ErrorCode::data, "larger than the 4 GiB of a classic TIFF; allow --bigtiff auto");
}

void TiffFile::append(std::int64_t /*strip*/, const StripEntry& entry) {
  strip_ends_.push_back((strip_ends_.empty() ? kFirstStrip : strip_ends_.back()) + entry.bytes);
}

void TiffFile::write_tail(int file, std::uint64_t strips_end) const {
  std::vector<std::uint64_t> known;
  if (places() == StripPlacement::known)
    for (std::int64_t strip = 0; strip < strips().count(); ++strip)
      known.push_back((known.empty() ? kFirstStrip : known.back()) + strips().bytes(strip));
  const bool fits = last_classic_end_ >= 0 && strips_end <= static_cast<std::uint64_t>(last_classic_end_);
  const WriteAt write_at = [file](const void* data, std::size_t bytes, std::uint64_t offset) {
    write_all_at(file, data, bytes, offset);
  };
  TiffDirectories(pages_, pages_.big == BigTiff::yes || !fits)
      .write(write_at, known.empty() ? strip_ends_ : known);
}

namespace {

constexpr std::uint64_t kAlignment = 8;  // of directories and of what they refer to
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

void append(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
}

/// Returns the fraction of 32-bit integers nearest to a positive value, by its continued fraction.
std::pair<std::uint32_t, std::uint32_t> fraction(double value) {
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  if (value >= kMax) return {std::numeric_limits<std::uint32_t>::max(), 1};
  double over = 1, under = 0, last_over = 0, last_under = 1, rest = value;
  for (;;) {
    const double whole = std::floor(rest);
    const double next_over = whole * over + last_over, next_under = whole * under + last_under;
    if (next_over > kMax || next_under > kMax) break;
    last_over = std::exchange(over, next_over);
    last_under = std::exchange(under, next_under);
    if (over / under == value || rest == whole) break;
    rest = 1 / (rest - whole);
  }
  return {static_cast<std::uint32_t>(over), static_cast<std::uint32_t>(under)};
}

/// One directory: entries in ascending order of their tags, then the values that an entry has no room for.
class Directory {
 public:
  explicit Directory(bool big) : big_(big) {}

  void add_short(std::uint16_t tag, int value) {
    append(start(tag, TIFF_SHORT, 1), static_cast<std::uint64_t>(value), 2);
  }
  void add_long(std::uint16_t tag, std::int64_t value) {
    append(start(tag, TIFF_LONG, 1), static_cast<std::uint64_t>(value), 4);
  }
  void add_text(std::uint16_t tag, const std::string& text) {
    start(tag, TIFF_ASCII, text.size() + 1).assign(text.c_str(), text.size() + 1);
  }
  void add_fraction(std::uint16_t tag, double value) {
    const auto [over, under] = fraction(value);
    std::string& bytes = start(tag, TIFF_RATIONAL, 1);
    append(bytes, over, 4);
    append(bytes, under, 4);
  }
  /// `value(i)` for i in [0, count): offsets or sizes.
  template <class Value>
  void add_offsets(std::uint16_t tag, std::int64_t count, Value value) {
    std::string& bytes = start(tag, big_ ? TIFF_LONG8 : TIFF_LONG, static_cast<std::uint64_t>(count));
    bytes.reserve(static_cast<std::size_t>(count) * offset_bytes());
    for (std::int64_t i = 0; i < count; ++i) append(bytes, value(i), static_cast<int>(offset_bytes()));
  }

  /// Returns the directory as stored at `offset`. The next one, if any, follows it.
  std::string bytes(std::uint64_t offset, bool is_last) const {
    std::uint64_t behind = aligned(offset + table_bytes());
    std::string table, values;
    append(table, entries_.size(), big_ ? 8 : 2);
    for (const Entry& entry : entries_) {
      append(table, entry.tag, 2);
      append(table, entry.type, 2);
      append(table, entry.count, static_cast<int>(offset_bytes()));
      if (entry.value.size() <= offset_bytes()) {
        table += entry.value;
        table.append(offset_bytes() - entry.value.size(), '\0');
        continue;
      }
      append(table, behind + values.size(), static_cast<int>(offset_bytes()));
      values += entry.value;
      values.resize(aligned(values.size()));
    }
    append(table, is_last ? 0 : behind + values.size(), static_cast<int>(offset_bytes()));
    table.resize(behind - offset);
    return table + values;
  }

 private:
  struct Entry {
    std::uint16_t tag;
    std::uint16_t type;
    std::uint64_t count;
    std::string value;
  };

  std::string& start(std::uint16_t tag, TIFFDataType type, std::uint64_t count) {
    entries_.push_back({tag, static_cast<std::uint16_t>(type), count, {}});
    return entries_.back().value;
  }
  std::size_t offset_bytes() const { return big_ ? 8 : 4; }
  std::uint64_t table_bytes() const {
    return (big_ ? 8 : 2) + entries_.size() * (4 + 2 * offset_bytes()) + offset_bytes();
  }

  bool big_;
  std::vector<Entry> entries_;
};

}  // namespace

std::string TiffDirectories::page(std::int64_t slice, std::uint64_t offset,
                                  const std::vector<std::uint64_t>& strip_ends) const {
  const StripLayout& strips = pages_.strips;
  const std::int64_t first = slice * strips.strips_per_slice;
  const auto begin_of = [&](std::int64_t i) {
    const std::int64_t strip = first + i;
    return strip == 0 ? kFirstStrip : strip_ends[static_cast<std::size_t>(strip - 1)];
  };

  Directory directory(big_);
  if (strips.extent.depth > 1) directory.add_long(TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
  directory.add_long(TIFFTAG_IMAGEWIDTH, strips.extent.width);
  directory.add_long(TIFFTAG_IMAGELENGTH, strips.extent.height);
  directory.add_short(TIFFTAG_BITSPERSAMPLE, pages_.bits_per_sample);
  directory.add_short(TIFFTAG_COMPRESSION, tiff_scheme(pages_.compression));
  directory.add_short(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  if (slice == 0 && !pages_.description.empty())
    directory.add_text(TIFFTAG_IMAGEDESCRIPTION, pages_.description);
  directory.add_offsets(TIFFTAG_STRIPOFFSETS, strips.strips_per_slice, begin_of);
  directory.add_short(TIFFTAG_SAMPLESPERPIXEL, 1);
  directory.add_long(TIFFTAG_ROWSPERSTRIP, strips.rows_per_strip);
  directory.add_offsets(TIFFTAG_STRIPBYTECOUNTS, strips.strips_per_slice,
                        [&](std::int64_t i) { return begin_of(i + 1) - begin_of(i); });
  const Resolution& resolution = pages_.resolution;
  if (resolution.is_known()) {
    directory.add_fraction(TIFFTAG_XRESOLUTION, resolution.x);
    directory.add_fraction(TIFFTAG_YRESOLUTION, resolution.y);
  }
  directory.add_short(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (resolution.is_known()) directory.add_short(TIFFTAG_RESOLUTIONUNIT, static_cast<int>(resolution.unit));
  directory.add_short(TIFFTAG_SAMPLEFORMAT, pages_.sample_format);
  return directory.bytes(offset, slice + 1 == strips.extent.depth);
}

std::uint64_t TiffDirectories::bytes() const {
  // The first page differs from the others, which are alike.
  const std::vector<std::uint64_t> anywhere(static_cast<std::size_t>(2 * pages_.strips.strips_per_slice));
  const std::uint64_t first = page(0, 0, anywhere).size();
  const std::int64_t others = pages_.strips.extent.depth - 1;
  return first + (others == 0 ? 0 : page(1, 0, anywhere).size() * static_cast<std::uint64_t>(others));
}

void TiffDirectories::write(const WriteAt& write_at, const std::vector<std::uint64_t>& strip_ends) const {
  const std::uint64_t first = aligned(strip_ends.back());
  std::string bytes(first - strip_ends.back(), '\0');
  std::uint64_t written = strip_ends.back(), offset = first;
  for (std::int64_t slice = 0; slice < pages_.strips.extent.depth; ++slice) {
    const std::string directory = page(slice, offset, strip_ends);
    offset += directory.size();
    bytes += directory;
    if (bytes.size() < kFlushBytes) continue;
    write_at(bytes.data(), bytes.size(), written);
    written += bytes.size();
    bytes.clear();
  }
  write_at(bytes.data(), bytes.size(), written);

  std::string header = "II";
  append(header, big_ ? 43 : 42, 2);
  if (big_) append(header, 8, 4);  // bytes of an offset
  append(header, first, big_ ? 8 : 4);
  write_at(header.data(), header.size(), 0);
}

std::int64_t last_classic_strip_end(const TiffPages& pages) {
  constexpr std::int64_t kClassicBytes = std::int64_t{1} << 32;
  constexpr auto kPadding = static_cast<std::int64_t>(kAlignment - 1);
  return kClassicBytes - kPadding - static_cast<std::int64_t>(TiffDirectories(pages, false).bytes());
}

static std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}

/// Returns OME's symbol of a unit; for an unknown one a unit without a length, so that sizes are kept.
static std::string ome_unit(LengthUnit unit) {
  if (unit == LengthUnit::unknown) return "reference frame";
  if (unit == LengthUnit::um) return "\xc2\xb5m";
  if (unit == LengthUnit::angstrom) return "\xc3\x85";
  return unit == LengthUnit::inch ? "in" : std::string(name_of(unit));
}

static std::string ome_type(LabelType type) {
  if (type == LabelType::f32) return "float";
  if (type == LabelType::f64) return "double";
  if (bits_per_sample(type) == 64)
    throw Error(ErrorCode::data, "OME-TIFF cannot hold " + long_name(type) + "; write .tiff, .npy or .zarr");
  return long_name(type);
}

std::string imagej_description(Extent extent, Label max, const Geometry& geometry) {
  const std::string slices = std::to_string(extent.depth);
  std::string text = "ImageJ=1.11a\nimages=" + slices + "\n";
  if (extent.depth > 1) text += "slices=" + slices + "\n";
  if (geometry.unit != LengthUnit::unknown) text += "unit=" + std::string(name_of(geometry.unit)) + "\n";
  if (geometry.spacing[2] > 0) text += "spacing=" + shortest(geometry.spacing[2]) + "\n";
  text += "loop=false\nmin=0\nmax=" + std::to_string(max) + "\n";
  return text;
}

std::string ome_xml(Extent extent, LabelType type, const Geometry& geometry) {
  std::string sizes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_spacing(geometry.spacing[axis])) continue;
    const std::string name = std::string("PhysicalSize") + "XYZ"[axis];
    sizes +=
        attribute(name, shortest(geometry.spacing[axis])) + attribute(name + "Unit", ome_unit(geometry.unit));
  }
  return R"(<?xml version="1.0" encoding="UTF-8"?>)"
         R"(<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06")"
         R"( xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance")"
         R"( xsi:schemaLocation="http://www.openmicroscopy.org/Schemas/OME/2016-06)"
         R"( http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd" Creator="gpuccl">)"
         R"(<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT")" +
         attribute("Type", ome_type(type)) + attribute("BigEndian", "false") +
         attribute("SizeX", std::to_string(extent.width)) +
         attribute("SizeY", std::to_string(extent.height)) +
         attribute("SizeZ", std::to_string(extent.depth)) + attribute("SizeC", "1") +
         attribute("SizeT", "1") + sizes +
         R"(><Channel ID="Channel:0:0" SamplesPerPixel="1"/><TiffData/></Pixels></Image></OME>)";
}

}  // namespace gpuccl::io
