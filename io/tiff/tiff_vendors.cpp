#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "io/image/geometry.hpp"
#include "io/tiff/tiff_description.hpp"

namespace gpuccl::io {
namespace {

constexpr std::int64_t kMaxPlanes = std::int64_t{1} << 22;  // no file has so many

/// The value of a tag, whose numbers are at offsets in bytes.
class TagValue {
 public:
  TagValue(const TiffHandle& tiff, const StoredTag& tag) : tiff_(tiff), tag_(tag) {}

  std::uint64_t count() const { return tag_.count; }
  std::uint64_t at(std::uint64_t offset, int bytes) const {
    return tiff_.number_at(tag_.offset + offset, bytes);
  }
  /// Returns a number of elements along an axis, which is at least 1.
  std::int64_t size_at(std::uint64_t offset, int bytes) const {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(at(offset, bytes)), 1, kMaxPlanes);
  }
  double double_at(std::uint64_t offset) const { return std::bit_cast<double>(at(offset, 8)); }

 private:
  const TiffHandle& tiff_;
  StoredTag tag_;
};

/// Reads UIC2Tag: for each plane the distance in z as a fraction, and the dates and times of its creation and
/// change. The planes follow the only page.
void read_metamorph(const TagValue& value, TiffDescription& description) {
  constexpr std::uint64_t kPlaneBytes = 24, kDenominator = 4, kDate = 8, kTime = 12;
  const std::int64_t planes =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(value.count()), 1, kMaxPlanes);
  bool has_distances = true, has_times = true;
  for (std::int64_t i = 0; i < planes; ++i) {
    const std::uint64_t plane = static_cast<std::uint64_t>(i) * kPlaneBytes;
    has_distances &= value.at(plane, 4) != 0 && value.at(plane + kDenominator, 4) != 0;
    has_times &= i == 0 || value.at(plane + kDate, 4) != value.at(plane + kDate - kPlaneBytes, 4) ||
                 value.at(plane + kTime, 4) != value.at(plane + kTime - kPlaneBytes, 4);
  }
  (has_distances || !has_times ? description.slices : description.frames) = planes;
}

/// Reads the header of NIH Image. The slices of its stack follow the only page.
void read_nih_image(const TagValue& value, TiffDescription& description) {
  constexpr std::uint64_t kSlices = 260, kStackType = 310;
  enum StackType { volume, rgb, movie };
  const std::uint64_t type = value.at(kStackType, 2);
  (type == rgb     ? description.channels
   : type == movie ? description.frames
                   : description.slices) = value.size_at(kSlices, 2);
}

/// Reads CZ_LSMINFO. The channels of a pixel are its samples.
void read_zeiss(const TagValue& value, TiffDescription& description) {
  constexpr std::uint64_t kZ = 16, kTime = 24, kVoxelX = 40, kScanType = 88, kPositions = 264, kMosaic = 268;
  constexpr double kMicrometers = 1e6;
  const std::uint64_t type = value.at(kScanType, 2);
  const auto is_of = [&](std::initializer_list<std::uint64_t> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  // Other types scan z or time along the rows of a page.
  if (is_of({0, 6, 7})) description.slices = value.size_at(kZ, 4);
  if (is_of({3, 4, 6, 7, 9})) description.frames = value.size_at(kTime, 4);
  for (const std::uint64_t offset : {kPositions, kMosaic})
    if (value.count() > offset && value.size_at(offset, 4) > 1)
      description.vendor = "Zeiss LSM with several positions";
  description.samples_are_channels = true;
  if (!is_of({0, 3, 6})) return;  // the rows of a page are not those of y
  for (std::size_t i = 0; i < 3; ++i)
    if (const double size = value.double_at(kVoxelX + 8 * i) * kMicrometers; is_spacing(size))
      description.spacing[i] = size;
  if (is_spacing(description.spacing[0]) && is_spacing(description.spacing[1]))
    description.unit = LengthUnit::um;
}

constexpr struct {
  ttag_t tag;
  TiffDescription::Writer writer;
  std::uint64_t least_count;
  void (*read)(const TagValue& value, TiffDescription& description);
} kRead[] = {{33629, TiffDescription::Writer::metamorph, 1, read_metamorph},
             {43314, TiffDescription::Writer::nih_image, 312, read_nih_image},
             {34412, TiffDescription::Writer::zeiss, 90, read_zeiss}};

constexpr struct {
  ttag_t tag;
  const char* vendor;
} kNamed[] = {{33471, "Olympus SIS"},      {33560, "Olympus SIS"}, {34361, "Olympus FluoView"},
              {34362, "Olympus FluoView"}, {4864, "Andor"},        {51123, "Micro-Manager"}};

/// Returns the vendor that the texts of a page show, or "".
const char* vendor_in(const std::string& text, const std::string& software) {
  if (software.starts_with("SI.") || text.starts_with("state.") ||
      text.find("scanimage.SI") != std::string::npos)
    return "ScanImage";
  if (software.starts_with("PerkinElmer-QPI")) return "PerkinElmer QPI";
  return "";
}

}  // namespace

void add_vendor_axes(const TiffHandle& tiff, const std::string& text, const std::string& software,
                     TiffDescription& description) {
  for (const auto& known : kRead) {
    const std::optional<StoredTag> tag = tiff.stored_tag(known.tag);
    if (!tag || tag->count < known.least_count) continue;
    description.writer = known.writer;
    known.read(TagValue(tiff, *tag), description);
    TiffSeries series;
    series.channels = description.channels;
    series.slices = description.slices;
    series.frames = description.frames;
    description.planes = series.planes();
    description.series = {series};
    return;
  }
  description.vendor = vendor_in(text, software);
  for (const auto& known : kNamed)
    if (description.vendor.empty() && tiff.stored_tag(known.tag)) description.vendor = known.vendor;
}

}  // namespace gpuccl::io
