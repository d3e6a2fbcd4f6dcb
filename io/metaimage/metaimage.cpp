#include "io/metaimage/metaimage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/label_streams.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable MetaImage (" + why + ")");
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last + 1 - first);
}

/// Values by their keys, as far as they matter here, up to ElementDataFile, which is the last one.
class Fields {
 public:
  explicit Fields(HeaderLines& lines) {
    while (!values_.contains("ElementDataFile")) {
      const std::optional<std::string> line = lines.next();
      if (!line) refuse("no ElementDataFile");
      const std::size_t equals = line->find('=');
      if (equals == std::string::npos) continue;
      const std::string key = trimmed(line->substr(0, equals));
      for (const char* const known : kKnown)
        if (key == known) values_[key] = trimmed(line->substr(equals + 1));
    }
  }

  /// Returns the text of the first of these keys that is present; "" if none is.
  std::string text(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (const auto found = values_.find(key); found != values_.end()) return found->second;
    return "";
  }
  /// Returns `count` numbers; none if none of the keys is present.
  std::optional<std::vector<double>> numbers(std::initializer_list<const char*> keys,
                                             std::size_t count) const {
    const std::string value = text(keys);
    if (value.empty()) return std::nullopt;
    auto numbers = numbers_in(value);
    if (!numbers || numbers->size() != count) refuse(std::string(*keys.begin()) + " = " + value);
    return numbers;
  }
  bool is_true(std::initializer_list<const char*> keys) const {
    const std::string value = lower_case(text(keys));
    return value == "true" || value == "1";
  }

 private:
  static constexpr const char* kKnown[] = {"NDims",
                                           "DimSize",
                                           "ElementType",
                                           "ElementNumberOfChannels",
                                           "ElementSpacing",
                                           "ElementSize",
                                           "Offset",
                                           "Position",
                                           "Origin",
                                           "TransformMatrix",
                                           "Orientation",
                                           "Rotation",
                                           "BinaryData",
                                           "BinaryDataByteOrderMSB",
                                           "ElementByteOrderMSB",
                                           "CompressedData",
                                           "HeaderSize",
                                           "DistanceUnits",
                                           "ElementDataFile"};
  std::map<std::string, std::string> values_;
};

SampleFormat format_of(const std::string& type) {
  constexpr auto kUnsigned = SampleKind::unsigned_integer, kSigned = SampleKind::signed_integer,
                 kFloating = SampleKind::floating;
  constexpr struct {
    std::string_view name;
    int bits;
    SampleKind kind;
  } kTypes[] = {
      {"MET_UCHAR", 8, kUnsigned},    {"MET_CHAR", 8, kSigned},     {"MET_USHORT", 16, kUnsigned},
      {"MET_SHORT", 16, kSigned},     {"MET_UINT", 32, kUnsigned},  {"MET_INT", 32, kSigned},
      {"MET_ULONG", 32, kUnsigned},   {"MET_LONG", 32, kSigned},    {"MET_ULONG_LONG", 64, kUnsigned},
      {"MET_LONG_LONG", 64, kSigned}, {"MET_FLOAT", 32, kFloating}, {"MET_DOUBLE", 64, kFloating}};
  for (const auto& known : kTypes)
    if (type == known.name) {
      SampleFormat format;
      format.bits = known.bits;
      format.kind = known.kind;
      return format;
    }
  refuse("ElementType = " + type);
}

Geometry read_geometry(const Fields& fields, std::size_t axes) {
  Geometry geometry;
  const auto spacing = fields.numbers({"ElementSpacing", "ElementSize"}, axes);
  const auto origin = fields.numbers({"Offset", "Position", "Origin"}, axes);
  const auto matrix = fields.numbers({"TransformMatrix", "Orientation", "Rotation"}, axes * axes);
  const std::size_t known = std::min<std::size_t>(axes, 3);
  for (std::size_t i = 0; spacing && i < known; ++i) {
    const double length = std::abs((*spacing)[i]);
    if (is_spacing(length)) geometry.spacing[i] = length;
  }
  geometry.unit = length_unit(fields.text({"DistanceUnits"}));
  geometry.is_in_mm = fields.text({"DistanceUnits"}).empty();
  if (!origin && !matrix) return geometry;
  Orientation orientation = plain_orientation(geometry);
  orientation.space = WorldSpace::lps;
  for (std::size_t axis = 0; axis < known; ++axis) {
    if (origin) orientation.origin[axis] = (*origin)[axis];
    for (std::size_t i = 0; matrix && i < known; ++i)  // the direction of an axis is together
      orientation.steps[i][axis] =
          (*matrix)[i * axes + axis] * (is_spacing(geometry.spacing[i]) ? geometry.spacing[i] : 1);
  }
  geometry.orientation = orientation;
  drop_unusable(geometry);
  return geometry;
}

}  // namespace

// There is no magic: text whose first line is a key with a value, and in which, before long, axes are
// counted.
bool is_metaimage(const InputFile& file) {
  std::string start(1024, '\0');
  start.resize(file.read_at(0, start.data(), start.size()));
  const std::size_t equals = start.find('=');
  if (equals > 40) return false;  // or there is none
  const std::string key = trimmed(start.substr(0, equals));
  for (const char* const first : {"ObjectType", "Comment", "ObjectSubType", "NDims", "Name", "ID"})
    if (key == first) return key == "NDims" || start.find("\nNDims") != std::string::npos;
  return false;
}

MetaimageHeader read_metaimage_header(const ByteSource& file, const Limits& limits) {
  HeaderLines lines(file);
  const Fields fields(lines);
  MetaimageHeader header;
  RawVolume& volume = header.volume;
  volume.format_name = "metaimage";
  volume.format = format_of(fields.text({"ElementType"}));
  const auto axes = fields.numbers({"NDims"}, 1);
  if (!axes || !(axes->front() >= 2 && axes->front() <= 10)) refuse("NDims = " + fields.text({"NDims"}));
  const auto count = static_cast<std::size_t>(axes->front());
  const auto sizes = fields.numbers({"DimSize"}, count);
  if (!sizes) refuse("no DimSize");
  if (const auto channels = fields.numbers({"ElementNumberOfChannels"}, 1))
    volume.format.channels = checked_channels(channels->front());
  double frames = 1;
  for (std::size_t i = 3; i < count; ++i) frames *= (*sizes)[i];
  volume.frames = checked_frames(frames);
  volume.extent = checked_extent({(*sizes)[0], (*sizes)[1], count > 2 ? (*sizes)[2] : 1}, limits);
  volume.geometry = read_geometry(fields, count);
  check_format(volume.format);
  if (!fields.text({"BinaryData"}).empty() && !fields.is_true({"BinaryData"}))
    refuse("its samples are text; write them as BinaryData");
  volume.swapped = fields.is_true({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"});
  header.compressed = fields.is_true({"CompressedData"});

  header.data_file = fields.text({"ElementDataFile"});
  if (header.data_file.empty() || header.data_file.starts_with("LIST") ||
      header.data_file.find('%') != std::string::npos)
    throw Error(ErrorCode::data, "its samples are in several files; write one");
  if (lower_case(header.data_file) == "local") header.data_file.clear();
  if (header.data_file.empty()) {
    volume.offset = lines.position();
  } else if (const auto skipped = fields.numbers({"HeaderSize"}, 1)) {
    const double bytes = skipped->front();
    if (!(bytes >= -1 && bytes <= 1e15) || bytes != std::floor(bytes))
      refuse("HeaderSize = " + fields.text({"HeaderSize"}));
    header.header_size = static_cast<std::int64_t>(bytes);
  }
  return header;
}

/// A MetaImage of one image or volume (.mha), or the header of one whose samples lie in a file next to it
/// (.mhd). Throws Error (data, io, memory; no_input if there are no samples).
static std::unique_ptr<SampleSource> open_metaimage(std::shared_ptr<const InputFile> file,
                                                    const ReadOptions& options) {
  MetaimageHeader header = read_metaimage_header(*file, options.limits);
  RawVolume& volume = header.volume;
  if (!header.data_file.empty()) {
    file = open_companion(file->path(), header.data_file, options.limits.follow);
    volume.offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, header.header_size));
  }
  if (header.compressed) {
    if (header.header_size < 0)
      throw Error(ErrorCode::data, "compressed samples that are counted from the end");
    const std::uint64_t begin = std::exchange(volume.offset, 0);
    return open_raw_volume(volume, std::make_shared<GunzippedFile>(std::move(file), begin), options);
  }
  const double from_end = static_cast<double>(file->size()) - volume.all_bytes();
  if (header.header_size < 0 && from_end >= 0) volume.offset = static_cast<std::uint64_t>(from_end);
  return open_raw_volume(volume, std::move(file), options);
}

namespace {

/// The one of MetaIO's units in which such a length is written.
LengthUnit metaimage_unit(LengthUnit unit) {
  using enum LengthUnit;
  constexpr LengthUnit kWritten[] = {unknown, um, um, um, um, mm, cm, mm, mm, mm};  // of pm to inch
  return kWritten[static_cast<std::size_t>(unit)];
}

template <class Word>
std::string each(std::size_t axes, Word word) {
  std::string text;
  for (std::size_t i = 0; i < axes; ++i) text += " " + word(i);
  return text + "\n";
}

std::string geometry_fields(const Geometry& given, std::size_t axes) {
  const Geometry geometry = in_unit(given, metaimage_unit(given.unit));
  const Orientation orientation =
      geometry.orientation ? in_lps(*geometry.orientation) : plain_orientation(geometry);
  std::string text =
      "TransformMatrix =" + each(axes, [&](std::size_t i) {
        const Vector3& step = orientation.steps[i];
        const double length = std::hypot(step[0], step[1], step[2]);
        std::string direction;
        for (std::size_t axis = 0; axis < axes; ++axis)
          direction += (axis > 0 ? " " : "") + shortest(length > 0 ? step[axis] / length : i == axis ? 1 : 0);
        return direction;
      });
  text += "Offset =" + each(axes, [&](std::size_t axis) { return shortest(orientation.origin[axis]); });
  text += "CenterOfRotation =" + each(axes, [](std::size_t) { return std::string("0"); });
  if (geometry.unit != LengthUnit::unknown)
    text += "DistanceUnits = " + std::string(name_of(geometry.unit)) + "\n";
  return text + "ElementSpacing =" + each(axes, [&](std::size_t i) {
           return is_spacing(geometry.spacing[i]) ? shortest(geometry.spacing[i]) : std::string("1");
         });
}

const char* element_type(LabelType type) {
  constexpr const char* kNames[] = {"MET_UINT",       "MET_UCHAR",     "MET_USHORT", "MET_UINT",
                                    "MET_CHAR",       "MET_SHORT",     "MET_INT",    "MET_FLOAT",
                                    "MET_ULONG_LONG", "MET_LONG_LONG", "MET_DOUBLE"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

LabelFile metaimage_label_file(const Extent& extent, const WriteOptions& options) {
  const int sizes[] = {extent.width, extent.height, extent.depth};
  const std::size_t axes = extent.depth == 1 && is_flat(options.geometry) ? 2 : 3;
  const bool raw = options.compression == Compression::none;
  std::string header = "ObjectType = Image\nNDims = " + std::to_string(axes) +
                       "\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = " +
                       (raw ? "False\n" : "True\nCompressedDataSize = ");
  const std::size_t size_at = header.size();
  if (!raw) header += std::string(kSizeDigits, '0') + "\n";
  header += geometry_fields(options.geometry, axes);
  header += "DimSize =" + each(axes, [&](std::size_t i) { return std::to_string(sizes[i]); });
  header += std::string("ElementType = ") + element_type(options.type) + "\nElementDataFile = LOCAL\n";
  return raw ? raw_label_file(header, extent, options) : zlib_label_file(header, size_at, extent, options);
}

const InputFormat kMetaimageFormat{
    .word = "metaimage",
    .title = "MetaImage",
    .extensions = {{{".mha", LabelFormat::metaimage, ".mha"}, {".mhd", {}, ".mha", true}}},
    .is = is_metaimage,
    .open = open_metaimage,
    .selects_planes = true};

}  // namespace gpuccl::io
