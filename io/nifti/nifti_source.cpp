#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/header_numbers.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/nifti/nifti.hpp"

namespace gpuccl::io {
namespace {

using namespace std::string_view_literals;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable NIfTI (" + why + ")");
}

bool has_magic(std::span<const std::byte> start, const NiftiLayout& layout, std::string_view magic) {
  return start.size() >= layout.header_bytes &&
         std::memcmp(start.data() + layout.magic, magic.data(), magic.size()) == 0;
}

bool is_nifti1(std::span<const std::byte> start) {
  return has_magic(start, kNifti1, "n+1\0"sv) || has_magic(start, kNifti1, "ni1\0"sv);
}

/// Returns whether it is the header of a pair.
bool is_nifti_pair(std::span<const std::byte> start) {
  return has_magic(start, kNifti1, "ni1\0"sv) || has_magic(start, kNifti2, "ni2\0\r\n\x1a\n"sv);
}

/// Numbers of a header, in the byte order of this machine.
class Fields : public HeaderNumbers {
 public:
  Fields(std::span<const std::byte> header, const NiftiLayout& layout)
      : HeaderNumbers(header), layout_(layout) {
    const auto size = static_cast<std::int64_t>(layout.header_bytes);
    if (whole(0) == size) return;
    swap();
    if (whole(0) != size) refuse(fmt::format("sizeof_hdr is not {}", size));
  }

  const NiftiLayout& layout() const { return layout_; }

  std::int64_t dim(std::size_t i) const {
    return whole(layout_.dim + i * layout_.dim_bytes(), layout_.dim_bytes());
  }
  int code(std::size_t at) const { return static_cast<int>(whole(at, layout_.code_bytes())); }
  /// Returns the i-th number at `at`.
  double real(std::size_t at, std::size_t i = 0) const {
    return HeaderNumbers::real(at + i * layout_.real_bytes(), layout_.real_bytes());
  }
  template <std::size_t count>
  std::array<double, count> reals(std::size_t at) const {
    std::array<double, count> all;
    for (std::size_t i = 0; i < count; ++i) all[i] = real(at, i);
    return all;
  }

 private:
  const NiftiLayout& layout_;
};

SampleFormat format_of(std::int64_t datatype) {
  constexpr auto kUnsigned = SampleKind::unsigned_integer, kSigned = SampleKind::signed_integer,
                 kFloating = SampleKind::floating;
  const struct {
    int datatype, bits;
    SampleKind kind;
    int channels = 1;
  } known[] = {{2, 8, kUnsigned},   {4, 16, kSigned},      {8, 32, kSigned},       {16, 32, kFloating},
               {64, 64, kFloating}, {256, 8, kSigned},     {512, 16, kUnsigned},   {768, 32, kUnsigned},
               {1024, 64, kSigned}, {1280, 64, kUnsigned}, {128, 8, kUnsigned, 3}, {2304, 8, kUnsigned, 4}};
  for (const auto& type : known)
    if (type.datatype == datatype) {
      SampleFormat format;
      format.bits = type.bits;
      format.kind = type.kind;
      format.channels = type.channels;
      if (type.channels > 1) format.photometric = Photometric::rgb;
      return format;
    }
  refuse(
      fmt::format("samples of datatype {}, neither integers nor floating point of up to 64 bits", datatype));
}

/// A slope of 0 or NaN means that samples are values.
void read_scale(const Fields& fields, SampleFormat& format) {
  const double slope = fields.real(fields.layout().scl_slope), inter = fields.real(fields.layout().scl_inter);
  if (slope == 0 || std::isnan(slope) || format.photometric == Photometric::rgb) return;
  if (!std::isfinite(slope) || !std::isfinite(inter)) refuse("the scale of its values is not a number");
  format.slope = slope;
  format.intercept = inter;
}

Extent read_extent(const Fields& fields, const Limits& limits, double& frames) {
  const std::int64_t axes = fields.dim(0);
  if (axes < 1 || axes > 7) refuse(fmt::format("{} axes", axes));
  std::array<std::int64_t, 3> size = {1, 1, 1};
  for (std::size_t i = 1; i <= static_cast<std::size_t>(axes); ++i) {
    const std::int64_t dim = fields.dim(i);
    if (i <= 3) {
      if (dim < 1) refuse(fmt::format("axis {} has {} elements", i, dim));
      size[i - 1] = dim;
    } else if (dim > 1) {
      frames *= static_cast<double>(dim);
    }
  }
  check_page_size(static_cast<std::uint64_t>(size[0]), static_cast<std::uint64_t>(size[1]), limits);
  return {static_cast<int>(size[0]), static_cast<int>(size[1]),
          checked_slices(static_cast<double>(size[2]), limits)};
}

std::uint64_t read_offset(const Fields& fields, bool is_pair) {
  const NiftiLayout& layout = fields.layout();
  const double offset = layout.is_nifti2 ? static_cast<double>(fields.whole(layout.vox_offset, 8))
                                         : fields.real(layout.vox_offset);
  // Four bytes after the header declare extensions. Some writers leave the offset 0.
  const std::size_t least = is_pair ? 0 : layout.header_bytes + 4;
  if (offset == 0) return least;
  constexpr double kMax = 9007199254740992;  // 2^53, a file of more than that is none
  if (!(offset >= static_cast<double>(least) && offset <= kMax) || offset != std::floor(offset))
    refuse("samples at byte " + shortest(offset));
  return static_cast<std::uint64_t>(offset);
}

/// Returns the steps and the origin of a 3 x 4 affine matrix.
Orientation orientation_of(const std::array<double, 12>& affine) {
  Orientation orientation;
  orientation.space = WorldSpace::ras;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < 3; ++i) orientation.steps[i][axis] = affine[4 * axis + i];
    orientation.origin[axis] = affine[4 * axis + 3];
  }
  return orientation;
}

/// Prefers the sform if both are given, as other readers do.
std::optional<Orientation> orientation_of(const NiftiFrame& frame) {
  if (frame.sform_code > 0) return orientation_of(frame.srow);
  if (frame.qform_code > 0) return orientation_of(frame.affine_of_quaternion());
  return std::nullopt;
}

Geometry read_geometry(const Fields& fields, const Extent& extent) {
  const NiftiLayout& layout = fields.layout();
  NiftiFrame frame;
  frame.is_nifti2 = layout.is_nifti2;
  frame.pixdim = fields.reals<8>(layout.pixdim);
  frame.xyzt_units = static_cast<int>(fields.whole(layout.xyzt_units, layout.is_nifti2 ? 4 : 1) & 0xff);
  frame.qform_code = fields.code(layout.qform_code);
  frame.sform_code = fields.code(layout.sform_code);
  frame.quatern = fields.reals<6>(layout.quatern);
  frame.srow = fields.reals<12>(layout.srow);
  Geometry geometry;
  geometry.orientation = orientation_of(frame);
  const int elements[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < 3; ++i) {
    double size = std::abs(frame.pixdim[i + 1]);
    if (!is_spacing(size) && geometry.orientation && elements[i] > 1) {
      const auto& [x, y, z] = geometry.orientation->steps[i];
      size = std::hypot(x, y, z);  // of a sform
    }
    geometry.spacing[i] = std::isfinite(size) ? size : 0;
  }
  constexpr LengthUnit kUnits[] = {LengthUnit::unknown, LengthUnit::m, LengthUnit::mm, LengthUnit::um};
  const int unit = frame.xyzt_units & 7;
  geometry.unit = unit < 4 ? kUnits[unit] : LengthUnit::unknown;
  drop_unusable(geometry);
  geometry.nifti = frame;
  geometry.is_in_mm = true;
  return geometry;
}

}  // namespace

NiftiHeader read_nifti_header(std::span<const std::byte> start, const Limits& limits) {
  const NiftiLayout& layout = is_nifti1(start) ? kNifti1 : kNifti2;
  const Fields fields(start, layout);
  NiftiHeader header;
  RawVolume& volume = header.volume;
  volume.format_name = "nifti";
  volume.swapped = fields.swapped();
  header.is_pair = is_nifti_pair(start);
  volume.format = format_of(fields.whole(layout.datatype, 2));
  read_scale(fields, volume.format);
  volume.extent = read_extent(fields, limits, volume.frames);
  volume.frames = checked_frames(volume.frames);
  volume.offset = read_offset(fields, header.is_pair);
  volume.geometry = read_geometry(fields, volume.extent);
  return header;
}

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

/// Returns the name of the samples of a pair: a.img or a.img.gz next to a.hdr or a.hdr.gz.
std::string name_of_samples(const std::string& path) {
  fs::path name = path;
  if (lower_extension(name) == ".gz") name.replace_extension();
  if (lower_extension(name) != ".hdr")
    throw Error(ErrorCode::data, "is the header of a NIfTI pair; name it .hdr, and the file of samples .img");
  const std::string plain = name.filename().replace_extension(".img").string(), zipped = plain + ".gz";
  return is_there(name.parent_path() / plain) || !is_there(name.parent_path() / zipped) ? plain : zipped;
}

std::unique_ptr<SampleSource> open_pair(const RawVolume& volume, const std::string& path,
                                        const ReadOptions& options) {
  const std::string name = name_of_samples(path);
  auto samples = open_companion(path, name, options.limits.follow);
  if (!name.ends_with(".gz")) return open_raw_volume(volume, std::move(samples), options);
  return open_raw_volume(volume, std::make_shared<GunzippedFile>(std::move(samples)), options);
}

void warn_of_unit(const RawVolume& volume, const ReadOptions& options) {
  if (options.spacing && options.warn && needs_unit(volume.geometry, *options.spacing))
    options.warn(kUnitIsAssumed);
}

}  // namespace

std::string name_of_nifti_samples(const std::shared_ptr<const InputFile>& file) {
  const std::vector<std::byte> start =
      is_gzip(*file) ? start_of(GunzippedFile(file), kNiftiHeaderBytes) : start_of(*file, kNiftiHeaderBytes);
  return is_nifti_pair(start) ? name_of_samples(file->path()) : "";
}

std::unique_ptr<SampleSource> open_nifti(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  const NiftiHeader header = read_nifti_header(start_of(*file, kNiftiHeaderBytes), options.limits);
  warn_of_unit(header.volume, options);
  if (header.is_pair) return open_pair(header.volume, file->path(), options);
  return open_raw_volume(header.volume, std::move(file), options);
}

std::unique_ptr<SampleSource> open_nifti(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                                         const ReadOptions& options) {
  const NiftiHeader header = read_nifti_header(start_of(*contents, kNiftiHeaderBytes), options.limits);
  warn_of_unit(header.volume, options);
  if (header.is_pair) return open_pair(header.volume, file.path(), options);
  return open_raw_volume(header.volume, std::move(contents), options);
}

const InputFormat kNiftiFormat{.word = "nifti",
                               .title = "NIfTI",
                               .extensions = {{{".nii", LabelFormat::nifti, ".nii"},
                                               {".nii.gz", LabelFormat::nifti_gz, ".nii.gz"},
                                               {".hdr", {}, ".nii", true}}},
                               .magic = {{{344, "n+1\0"sv},
                                          {344, "ni1\0"sv},
                                          {4, "n+2\0\r\n\x1a\n"sv, 540},
                                          {4, "ni2\0\r\n\x1a\n"sv, 540}}},
                               .open = open_nifti,
                               .open_gunzipped = open_nifti,
                               .selects_planes = true};

}  // namespace gpuccl::io
