#include <optional>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/formats.hpp"
#include "io/image/header_numbers.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

namespace {

constexpr std::size_t kHeaderBytes = 284;  // of which the last are not used

/// Big-endian numbers of a header.
class MghHeader {
 public:
  template <class File>
  explicit MghHeader(const File& file) : bytes_(start_of(file, kHeaderBytes)), numbers_(bytes_, true) {}

  bool is_one() const {
    bool has_sizes = bytes_.size() == kHeaderBytes && numbers_.whole(0) == 1;
    for (std::size_t i = 1; i <= 4 && has_sizes; ++i) has_sizes = numbers_.whole(4 * i) >= 1;
    return has_sizes && format() && (has_place() || numbers_.whole(28, 2) == 0);
  }

  RawVolume volume(const Limits& limits) const {
    RawVolume volume;
    volume.format_name = "mgh";
    volume.format = *format();
    volume.extent = checked_extent({real_size(4), real_size(8), real_size(12)}, limits);
    volume.frames = checked_frames(real_size(16));
    volume.offset = kHeaderBytes;
    volume.swapped = volume.format.bits > 8;
    if (has_place()) volume.geometry = geometry(volume.extent);
    return volume;
  }

 private:
  double real_size(std::size_t at) const { return static_cast<double>(numbers_.whole(at)); }
  bool has_place() const { return numbers_.whole(28, 2) == 1; }

  std::optional<SampleFormat> format() const {
    using enum SampleKind;
    constexpr struct {
      int code, bits;
      SampleKind kind;
    } kTypes[] = {{0, 8, unsigned_integer},
                  {1, 32, signed_integer},
                  {3, 32, floating},
                  {4, 16, signed_integer},
                  {10, 16, unsigned_integer}};
    for (const auto& type : kTypes) {
      if (type.code != numbers_.whole(20)) continue;
      SampleFormat format;
      format.bits = type.bits;
      format.kind = type.kind;
      return format;
    }
    return std::nullopt;
  }

  /// Sizes of elements in mm, directions of the axes in RAS, and where the center of the volume is.
  Geometry geometry(const Extent& extent) const {
    const double sizes[] = {extent.width / 2.0, extent.height / 2.0, extent.depth / 2.0};
    Geometry geometry;
    geometry.unit = LengthUnit::mm;
    Orientation place;
    place.space = WorldSpace::ras;
    for (std::size_t i = 0; i < 3; ++i) place.origin[i] = numbers_.real(78 + 4 * i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double spacing = numbers_.real(30 + 4 * axis);
      geometry.spacing[axis] = is_spacing(spacing) ? spacing : 0;
      for (std::size_t i = 0; i < 3; ++i) {
        place.steps[axis][i] = spacing * numbers_.real(42 + 12 * axis + 4 * i);
        place.origin[i] -= place.steps[axis][i] * sizes[axis];
      }
    }
    geometry.orientation = place;
    drop_unusable(geometry);
    return geometry;
  }

  std::vector<std::byte> bytes_;
  HeaderNumbers numbers_;
};

/// Returns whether a file is a volume of FreeSurfer. It has no magic number, so all fields are checked.
template <class File>
bool is_mgh(const File& file) {
  return MghHeader(file).is_one();
}

template <class File>
std::unique_ptr<SampleSource> open_mgh(std::shared_ptr<File> file, const ReadOptions& options) {
  ReadOptions quiet = options;
  quiet.warn = nullptr;  // parameters of the scan follow the samples
  const RawVolume volume = MghHeader(*file).volume(options.limits);
  return open_raw_volume(volume, std::move(file), quiet);
}

std::unique_ptr<SampleSource> open_mgz(const InputFile& /*file*/, std::shared_ptr<GunzippedFile> contents,
                                       const ReadOptions& options) {
  return open_mgh(std::move(contents), options);
}

}  // namespace

const InputFormat kMghFormat{.word = "mgh",
                             .title = "MGH",
                             .extensions = {{{".mgh", {}, ".nii"}, {".mgz", {}, ".nii.gz"}}},
                             .is = is_mgh<InputFile>,
                             .open = open_mgh<const InputFile>,
                             .is_gunzipped = is_mgh<GunzippedFile>,
                             .open_gunzipped = open_mgz,
                             .selects_planes = true};

}  // namespace gpuccl::io
