#include "io/mrc/mrc.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/image/formats.hpp"
#include "io/image/header_numbers.hpp"
#include "io/image/label_streams.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {
namespace {

using namespace std::string_view_literals;

// The header of MRC2014 (ccpem.ac.uk/mrc_format), and the two fields that IMOD adds.
constexpr std::size_t kHeaderBytes = 1024;
constexpr std::size_t kSizes = 0, kMode = 12, kStarts = 16, kIntervals = 28, kCell = 40, kAngles = 52,
                      kAxes = 64, kStatistics = 76, kSpaceGroup = 88, kExtended = 92, kVersion = 108,
                      kImodStamp = 152, kImodFlags = 156, kOrigin = 196, kMap = 208, kMachine = 212,
                      kDeviation = 216;
constexpr int kSigned = 1, kOriginIsInverted = 4, kTwoInByte = 16;  // of IMOD
constexpr int kFirstStack = 401, kLastStack = 630;                  // space groups of stacks of volumes

struct Mode {
  int number, bits;
  SampleKind kind;
  LabelType type;  // of labels
};
constexpr Mode kModes[] = {{0, 8, SampleKind::signed_integer, LabelType::i8},
                           {1, 16, SampleKind::signed_integer, LabelType::i16},
                           {2, 32, SampleKind::floating, LabelType::f32},
                           {6, 16, SampleKind::unsigned_integer, LabelType::u16},
                           {12, 16, SampleKind::floating, LabelType::automatic}};

class MrcHeader : public HeaderNumbers {
 public:
  explicit MrcHeader(std::span<const std::byte> start) : HeaderNumbers(start) {
    if (start.size() < kHeaderBytes) throw Error(ErrorCode::data, "the file is truncated in its header");
    const std::uint64_t machine = natural(kMachine, 1), width = natural(kSizes);
    if (machine == 0x44) return;
    swap();
    if (machine != 0x11 && natural(kSizes) > width) swap();  // the stamp is missing
  }

  RawVolume volume(const ReadOptions& options) const {
    RawVolume volume;
    volume.format_name = "mrc";
    volume.format = format();
    volume.swapped = swapped();
    double sections = real_size(kSizes + 8);
    const std::int64_t group = whole(kSpaceGroup);
    if (group >= kFirstStack && group <= kLastStack) {
      const double each = real_size(kIntervals + 8);
      if (each < 1 || static_cast<std::int64_t>(sections) % static_cast<std::int64_t>(each) != 0)
        throw Error(ErrorCode::data,
                    "its sections (NZ) are not volumes of MZ sections; correct MZ with mrcfile of Python");
      volume.frames = checked_frames(sections / each);
      sections = each;
    }
    volume.extent = checked_extent({real_size(kSizes), real_size(kSizes + 4), sections}, options.limits);
    if (whole(kExtended) < 0)
      throw Error(ErrorCode::data, "its extended header (NSYMBT) has a negative size");
    volume.offset = kHeaderBytes + static_cast<std::uint64_t>(whole(kExtended));
    volume.geometry = geometry(options);
    // IMOD also wrote a group of 0 for volumes, but with their depth as MZ.
    volume.is_image_stack = group == 0 && volume.extent.depth > 1 && whole(kIntervals + 8) == 1;
    if (volume.is_image_stack) volume.geometry.spacing[2] = 0;
    return volume;
  }

 private:
  double real_size(std::size_t at) const { return static_cast<double>(whole(at)); }
  bool is_of_imod() const { return whole(kImodStamp) == 1146047817; }

  SampleFormat format() const {
    const bool is_beyond_signed = real(kStatistics) >= 0 && real(kStatistics + 4) > 127;
    const std::int64_t mode = whole(kMode), flags = is_of_imod()       ? whole(kImodFlags)
                                                    : is_beyond_signed ? 0
                                                                       : kSigned;
    const auto refuse = [&](const std::string& what) {
      throw Error(ErrorCode::data, "has MRC mode " + std::to_string(mode) + what);
    };
    if (mode == 101 || (mode == 0 && (flags & kTwoInByte) != 0))
      refuse(", samples of 4 bits; convert it with 'newstack -mode 1 IN OUT.mrc' of IMOD");
    if (mode == 3 || mode == 4)
      refuse(", complex numbers; save their magnitude, numpy.abs(), with mrcfile of Python");
    if (mode == 16) refuse(", colors; convert it with mrc2tif of IMOD");
    const auto* const known = std::find_if(std::begin(kModes), std::end(kModes),
                                           [&](const Mode& one) { return one.number == mode; });
    if (known == std::end(kModes))
      refuse(", not 0, 1, 2, 6 or 12; write one of these with mrcfile of Python");
    SampleFormat format;
    format.bits = known->bits;
    format.kind = mode == 0 && (flags & kSigned) == 0 ? SampleKind::unsigned_integer : known->kind;
    return format;
  }

  /// Returns the axis of the world along which the axis i of the file lies.
  std::size_t axis(std::size_t i) const {
    const bool is_given = whole(kAxes) != 0 || whole(kAxes + 4) != 0 || whole(kAxes + 8) != 0;
    return is_given ? static_cast<std::size_t>(whole(kAxes + 4 * i) - 1) : i;
  }

  Geometry geometry(const ReadOptions& options) const {
    std::array<bool, 3> is_taken{};
    for (std::size_t i = 0; i < 3; ++i)
      if (axis(i) > 2 || std::exchange(is_taken[axis(i)], true))
        throw Error(ErrorCode::data, "its axes (MAPC, MAPR, MAPS) are not 1, 2 and 3 in any order");
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = real(kAngles + 4 * i);
      if (angle == 90 || angle == 0) continue;
      if (options.warn)
        options.warn("its unit cell has angles other than 90 degrees, so its spacing is not read");
      return {};
    }
    Geometry geometry;
    Orientation place;
    bool has_origin = false;
    for (std::size_t i = 0; i < 3; ++i) has_origin = has_origin || real(kOrigin + 4 * i) != 0;
    // Before MRC2014, IMOD wrote the place of the origin in the image.
    const double sign =
        is_of_imod() && (whole(kImodFlags) & kOriginIsInverted) == 0 && whole(kVersion) <= 0 ? -1 : 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t world = axis(i);
      const double length = real(kCell + 4 * world) / real_size(kIntervals + 4 * world);
      const bool is_known = is_spacing(length);
      if (is_known) geometry.unit = LengthUnit::angstrom;
      geometry.spacing[i] = is_known ? length : 0;
      place.steps[i][world] = is_known ? length : 1;
      place.origin[world] = has_origin ? sign * real(kOrigin + 4 * world)
                            : is_known ? real_size(kStarts + 4 * i) * length
                                       : 0;
    }
    if (geometry.unit == LengthUnit::unknown) return {};
    geometry.orientation = place;
    drop_unusable(geometry);
    return geometry;
  }
};

template <class File>
std::unique_ptr<SampleSource> open_mrc(std::shared_ptr<File> file, const ReadOptions& options) {
  const std::vector<std::byte> start = start_of(*file, kHeaderBytes);
  const MrcHeader header(start);
  return open_raw_volume(header.volume(options), std::move(file), options);
}

std::unique_ptr<SampleSource> open_gunzipped_mrc(const InputFile& /*file*/,
                                                 std::shared_ptr<GunzippedFile> contents,
                                                 const ReadOptions& options) {
  return open_mrc(std::move(contents), options);
}

}  // namespace

LabelFile mrc_label_file(const Extent& extent, const WriteOptions& options) {
  const Geometry geometry = in_unit(options.geometry, LengthUnit::angstrom);
  const Orientation place = in_lps(orientation_of(geometry));  // as other formats take it
  const std::array<std::size_t, 3> axes = world_axes(place).value_or(std::array<std::size_t, 3>{0, 1, 2});
  const bool is_known = geometry.unit != LengthUnit::unknown;
  HeaderWriter header(kHeaderBytes);
  const auto write_whole = [&](std::size_t at, std::int64_t value) {
    header.whole(at, 4, static_cast<std::uint64_t>(value));
  };
  const int sizes[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < 3; ++i) {
    write_whole(kSizes + 4 * i, sizes[i]);
    write_whole(kIntervals + 4 * axes[i], sizes[i]);
    write_whole(kAxes + 4 * i, static_cast<std::int64_t>(axes[i]) + 1);
    header.real(kAngles + 4 * i, 4, 90);
    if (!is_known) continue;
    header.real(kCell + 4 * axes[i], 4, geometry.spacing[i] * sizes[i]);
    header.real(kOrigin + 4 * i, 4, place.origin[i]);
  }
  const auto* const mode = std::find_if(std::begin(kModes), std::end(kModes),
                                        [&](const Mode& one) { return one.type == options.type; });
  write_whole(kMode, mode->number);
  write_whole(kSpaceGroup, extent.depth > 1 ? 1 : 0);
  write_whole(kVersion, 20141);
  for (int i = 0; i < 3; ++i) header.real(kStatistics + 4 * static_cast<std::size_t>(i), 4, -i);  // not known
  header.real(kDeviation, 4, -1);
  header.text(kMap, "MAP \x44\x44"sv);
  const std::vector<std::byte> bytes = header.take();
  return raw_label_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, extent, options);
}

const InputFormat kMrcFormat{.word = "mrc",
                             .title = "MRC",
                             .extensions = {{{".mrc", LabelFormat::mrc},
                                             {.name = ".map", .written = LabelFormat::mrc, .is_shared = true},
                                             {.name = ".rec", .written = LabelFormat::mrc, .is_shared = true},
                                             {.name = ".st", .is_shared = true},
                                             {".mrcs"},
                                             {".mrc.gz"},
                                             {".map.gz"}}},
                             .magic = {{{kMap, "MAP "sv}}},
                             .open = open_mrc<const InputFile>,
                             .open_gunzipped = open_gunzipped_mrc,
                             .selects_planes = true};

}  // namespace gpuccl::io
