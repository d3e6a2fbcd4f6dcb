#include "io/nrrd/nrrd.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/label_streams.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

constexpr struct {
  WorldSpace space;
  const char *name, *short_name;
} kSpaces[] = {{WorldSpace::ras, "right-anterior-superior", "ras"},
               {WorldSpace::las, "left-anterior-superior", "las"},
               {WorldSpace::lps, "left-posterior-superior", "lps"},
               {WorldSpace::scanner_xyz, "scanner-xyz", "scanner-xyz"},
               {WorldSpace::right_handed, "3D-right-handed", "3d-right-handed"},
               {WorldSpace::left_handed, "3D-left-handed", "3d-left-handed"}};

}  // namespace

WorldSpace nrrd_space(const std::string& name) {
  const std::string word = lower_case(name);
  for (const auto& known : kSpaces)
    if (word == lower_case(known.name) || word == known.short_name) return known.space;
  return WorldSpace::unknown;
}

const char* nrrd_name(WorldSpace space) {
  for (const auto& known : kSpaces)
    if (space == known.space) return known.name;
  return "";
}

namespace {

constexpr std::size_t kMaxAxes = 16;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable NRRD (" + why + ")");
}

/// Fields by their names, as far as they matter here.
class Fields {
 public:
  explicit Fields(HeaderLines& lines) {
    lines.next();  // the magic
    while (const std::optional<std::string> line = lines.next()) {
      if (line->empty()) return;
      const std::size_t colon = line->find(": "), equals = line->find(":=");
      if (line->front() != '#' && equals < colon)
        add_of_segment(line->substr(0, equals), line->substr(equals + 2));
      if (line->front() == '#' || colon == std::string::npos || equals < colon) continue;
      std::string name = lower_case(line->substr(0, colon));
      if (name == "datafile") name = "data file";
      if (name == "lineskip") name = "line skip";
      if (name == "byteskip") name = "byte skip";
      for (const char* const known : kKnown)
        if (name == known)
          values_[name] = line->substr(std::min(line->find_first_not_of(' ', colon + 1), line->size()));
    }
  }

  /// Returns the names of the layers of a segmentation of Slicer: of its only segment, or of all with their
  /// values.
  std::vector<std::string> layers(int count) const {
    std::vector<std::string> names(static_cast<std::size_t>(count));
    std::vector<int> segments(names.size());
    for (const auto& [number, segment] : segments_)
      if (segment.layer >= 0 && segment.layer < count) ++segments[static_cast<std::size_t>(segment.layer)];
    for (const auto& [number, segment] : segments_) {
      if (segment.layer < 0 || segment.layer >= count) continue;
      const auto layer = static_cast<std::size_t>(segment.layer);
      names[layer] += (names[layer].empty() ? "" : "; ") + segment.name;
      if (segments[layer] > 1) names[layer] += " = " + segment.value;
    }
    return segments_.empty() ? std::vector<std::string>() : names;
  }

  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }
  std::string needed(const std::string& name) const {
    if (!has(name)) refuse("no " + name);
    return text(name);
  }
  std::int64_t whole(const std::string& name, std::int64_t least) const {
    if (!has(name)) return 0;
    const auto numbers = numbers_in(text(name));
    constexpr double kMax = 1e15;
    if (!numbers || numbers->size() != 1 || !(numbers->front() >= static_cast<double>(least)) ||
        numbers->front() > kMax || numbers->front() != std::floor(numbers->front()))
      refuse(name + " " + text(name));
    return static_cast<std::int64_t>(numbers->front());
  }

 private:
  /// A segment of Slicer (.seg.nrrd).
  struct Segment {
    std::string name, value;
    int layer = 0;
  };

  /// Adds a value of Segment0_Name, Segment0_Layer or Segment0_LabelValue.
  void add_of_segment(const std::string& key, const std::string& value) {
    constexpr std::string_view kSegment = "Segment";
    constexpr std::size_t kMax = 65535;
    const std::size_t end = key.find('_');
    if (!key.starts_with(kSegment) || end == std::string::npos) return;
    const auto number = numbers_in(std::string_view(key).substr(kSegment.size(), end - kSegment.size()));
    if (!number || number->size() != 1 || segments_.size() > kMax) return;
    const std::string what = key.substr(end + 1);
    if (what != "Name" && what != "Layer" && what != "LabelValue") return;
    Segment& segment = segments_[number->front()];
    if (what == "Name") segment.name = value;
    if (what == "LabelValue") segment.value = value;
    if (const auto layer = numbers_in(value); what == "Layer" && layer && layer->size() == 1)
      segment.layer = layer->front() >= 0 && layer->front() <= kMax ? static_cast<int>(layer->front()) : -1;
  }

  std::map<double, Segment> segments_;
  static constexpr const char* kKnown[] = {
      "type",        "dimension",       "sizes",     "encoding",         "endian",       "kinds",
      "space",       "space dimension", "spacings",  "space directions", "space origin", "units",
      "space units", "data file",       "line skip", "byte skip"};
  std::map<std::string, std::string> values_;
};

SampleFormat format_of(const std::string& type) {
  SampleFormat format;
  std::string name = lower_case(type);
  if (name == "float" || name == "double") {
    format.kind = SampleKind::floating;
    format.bits = name == "float" ? 32 : 64;
    return format;
  }
  // "unsigned short int", "ushort", "uint16", "uint16_t".
  if (name.ends_with("_t")) name.resize(name.size() - 2);
  format.kind = SampleKind::signed_integer;
  if (name.starts_with("signed ")) {
    name.erase(0, 7);
  } else if (name.starts_with("u")) {
    format.kind = SampleKind::unsigned_integer;
    name.erase(0, name.starts_with("unsigned ") ? 9 : 1);
  }
  if (name.ends_with(" int")) name.resize(name.size() - 4);
  constexpr struct {
    const char* name;
    int bits;
  } kIntegers[] = {{"char", 8},   {"int8", 8},   {"short", 16},    {"int16", 16},    {"int", 32},
                   {"int32", 32}, {"int64", 64}, {"longlong", 64}, {"long long", 64}};
  for (const auto& known : kIntegers)
    if (name == known.name) {
      format.bits = known.bits;
      return format;
    }
  refuse("type " + type + ", neither integer nor floating point");
}

/// One for each axis, in parentheses, or "none".
std::vector<std::optional<std::vector<double>>> vectors_in(const std::string& text) {
  std::vector<std::optional<std::vector<double>>> vectors;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    if (text.compare(at, 4, "none") == 0) {
      vectors.emplace_back(std::nullopt);
      at += 4;
      continue;
    }
    const std::size_t end = text.find(')', at);
    const auto numbers =
        end == std::string::npos ? std::nullopt : numbers_in(std::string_view(text).substr(at, end + 1 - at));
    if (!numbers) refuse("space directions " + text);
    vectors.emplace_back(*numbers);
    at = end + 1;
  }
  return vectors;
}

/// Returns the unit quoted for x, y and z, the first of which is axis `first`, if all are the same.
LengthUnit unit_in(const std::string& text, std::size_t first) {
  std::optional<std::string> unit;
  std::size_t axis = 0;
  for (std::size_t begin = 0; (begin = text.find('"', begin)) != std::string::npos; ++axis) {
    const std::size_t end = text.find('"', begin + 1);
    if (end == std::string::npos) return LengthUnit::unknown;
    const std::string name = text.substr(begin + 1, end - begin - 1);
    begin = end + 1;
    if (axis < first || axis >= first + 3) continue;
    if (!unit) unit = name;
    if (name != *unit) return LengthUnit::unknown;
  }
  return unit ? length_unit(*unit) : LengthUnit::unknown;
}

/// The axes of the file: x, y and z, after those that make an element.
struct Axes {
  std::size_t all = 0, first = 0;
  std::size_t spatial = 3;  // at most, from the first on
  std::array<double, 3> sizes = {1, 1, 1};
  double frames = 1;  // elements of further axes
  bool has_time = false;

  /// Returns the axis of the i-th of x, y, z, if it exists.
  std::optional<std::size_t> place(std::size_t i) const {
    return i < spatial && first + i < all ? std::optional(first + i) : std::nullopt;
  }
};

Axes read_axes(const Fields& fields, SampleFormat& format) {
  Axes axes;
  const std::int64_t dimension = fields.whole("dimension", 1);
  const auto sizes = numbers_in(fields.needed("sizes"));
  if (dimension < 1 || dimension > static_cast<std::int64_t>(kMaxAxes))
    refuse("dimension " + fields.text("dimension"));
  axes.all = static_cast<std::size_t>(dimension);
  if (!sizes || sizes->size() != axes.all) refuse("sizes " + fields.text("sizes"));

  const std::vector<std::string> kinds = words_in(fields.text("kinds"));
  const std::string kind = kinds.empty() ? "" : lower_case(kinds.front());
  const auto is_unknown_kind = [](const std::string& of_axis) {
    return of_axis.empty() || of_axis == "???" || of_axis == "none";
  };
  const bool is_unknown = is_unknown_kind(kind);
  // If others have a direction, an axis without one is none of space.
  const auto directions = vectors_in(fields.text("space directions"));
  const bool have_directions =
      std::any_of(directions.begin(), directions.end(), [](const auto& one) { return one.has_value(); });
  const auto is_apart = [&](std::size_t place) {
    return have_directions && place < directions.size() && !directions[place];
  };
  const bool is_none = is_unknown && is_apart(0);
  const bool is_color = kind == "rgb-color" || kind == "rgba-color";
  if (is_none || (!is_unknown && kind != "domain" && kind != "space" && kind != "time")) {
    axes.first = 1;
    format.channels = checked_channels(sizes->front());
    if (is_color && format.channels == (kind == "rgb-color" ? 3 : 4)) format.photometric = Photometric::rgb;
  }
  if (axes.first + 2 > axes.all) refuse(std::to_string(axes.all - axes.first) + " axis");
  for (std::size_t i = 0; i < axes.all - axes.first; ++i) {
    const std::size_t place = axes.first + i;
    const std::string named = place < kinds.size() ? lower_case(kinds[place]) : "";
    const double size = (*sizes)[place];
    axes.has_time |= named == "time";
    const bool has_no_direction = is_unknown_kind(named) && is_apart(place);
    const bool is_space = (is_unknown_kind(named) && !has_no_direction) || named == "domain" ||
                          named == "space" || (named == "stub" && size == 1 && place + 1 == axes.all);
    if (i == 2 && (named == "time" || has_no_direction) && place + 1 == axes.all) axes.spatial = 2;
    if (i < axes.spatial && !is_space)
      throw Error(ErrorCode::data,
                  "axis " + std::to_string(place) +
                      (has_no_direction ? " has no direction in space" : " is of kind " + named) +
                      "; put values first or time last with unu permute");
    if (i < axes.spatial)
      axes.sizes[i] = size;
    else
      axes.frames *= size;
  }
  return axes;
}

/// A vector of x, y and maybe z. In a space with more axes, as ITK writes it, it has nothing along those.
std::optional<Vector3> in_space(const std::vector<double>& numbers) {
  const auto known = static_cast<std::ptrdiff_t>(std::min<std::size_t>(numbers.size(), 3));
  const bool is_flat = std::all_of(numbers.begin() + known, numbers.end(), [](double x) { return x == 0; });
  if (known < 2 || !is_flat) return std::nullopt;
  Vector3 vector{};
  std::copy_n(numbers.begin(), known, vector.begin());
  return vector;
}

/// Directions and sizes of elements in a space.
void read_orientation(const Fields& fields, const Axes& axes, Geometry& geometry) {
  const auto vectors = vectors_in(fields.text("space directions"));
  if (vectors.size() != axes.all) refuse("space directions " + fields.text("space directions"));
  Orientation orientation;
  orientation.space = nrrd_space(fields.text("space"));
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<std::size_t> place = axes.place(i);
    if (!place || !vectors[*place]) {
      // If the others leave the plane of x and y, the third axis becomes their normal.
      if (i < 2 || (orientation.steps[0][2] == 0 && orientation.steps[1][2] == 0))
        orientation.steps[i][i] = 1;
      continue;
    }
    const auto vector = in_space(*vectors[*place]);
    if (!vector) refuse("space directions " + fields.text("space directions"));
    orientation.steps[i] = *vector;
    const Vector3& step = orientation.steps[i];
    geometry.spacing[i] = std::hypot(step[0], step[1], step[2]);
  }
  if (fields.has("space origin")) {
    auto origin = numbers_in(fields.text("space origin"));
    if (origin && origin->size() > 3) origin->resize(3);  // the others are those of axes that are not spatial
    const auto place = origin ? in_space(*origin) : std::nullopt;
    if (!place) refuse("space origin " + fields.text("space origin"));
    orientation.origin = *place;
  }
  geometry.orientation = orientation;
  geometry.unit = unit_in(fields.text("space units"), 0);
  drop_unusable(geometry);
}

Geometry read_geometry(const Fields& fields, const Axes& axes) {
  Geometry geometry;
  if (fields.has("space directions")) {
    read_orientation(fields, axes, geometry);
  } else if (fields.has("spacings")) {
    const auto spacings = numbers_in(fields.text("spacings"));
    if (!spacings || spacings->size() != axes.all) refuse("spacings " + fields.text("spacings"));
    for (std::size_t i = 0; i < 3; ++i)
      if (axes.place(i)) geometry.spacing[i] = std::abs((*spacings)[*axes.place(i)]);
    geometry.unit = unit_in(fields.text("units"), axes.first);
  }
  geometry.is_in_mm = fields.text("space units").empty() && fields.text("units").empty();
  for (double& length : geometry.spacing)
    if (!is_spacing(length)) length = 0;
  return geometry;
}

}  // namespace

NrrdHeader read_nrrd_header(const ByteSource& file, const Limits& limits) {
  HeaderLines lines(file);
  const Fields fields(lines);
  NrrdHeader header;
  RawVolume& volume = header.volume;
  volume.format_name = "nrrd";
  volume.format = format_of(fields.needed("type"));
  const Axes axes = read_axes(fields, volume.format);
  volume.extent = checked_extent(axes.sizes, limits);
  volume.frames = checked_frames(axes.frames);
  volume.has_time = axes.has_time;
  volume.channel_names = fields.layers(volume.format.channels);
  volume.geometry = read_geometry(fields, axes);
  check_format(volume.format);

  const std::string encoding = lower_case(fields.needed("encoding")),
                    endian = lower_case(fields.text("endian"));
  header.gzip = encoding == "gzip" || encoding == "gz";
  if (!header.gzip && encoding != "raw")
    throw Error(ErrorCode::data, "has the NRRD encoding " + encoding +
                                     ", not raw or gzip; convert it with unu save -f nrrd -e gzip");
  volume.swapped = endian == "big";
  if (volume.format.bits > 8 && endian != "big" && endian != "little") refuse("endian " + endian);
  header.data_file = fields.text("data file");
  if (header.data_file.starts_with("LIST") || header.data_file.find('%') != std::string::npos)
    throw Error(ErrorCode::data, "its samples are in several files; write one");
  header.lines = fields.whole("line skip", 0);
  header.bytes = fields.whole("byte skip", -1);
  if (header.data_file.empty()) volume.offset = lines.position();
  return header;
}

namespace {

/// Returns the offset of line `lines`, counted from 0, of the text that begins at `offset`.
std::uint64_t after_lines(const InputFile& file, std::uint64_t offset, std::int64_t lines) {
  if (lines == 0) return offset;
  if (offset != 0) throw Error(ErrorCode::data, "lines to be skipped between header and samples");
  HeaderLines text(file);
  for (; lines > 0; --lines)
    if (!text.next())
      throw Error(ErrorCode::data, "the file is truncated: it has fewer lines than are to be skipped");
  return text.position();
}

/// A data file may be any file, from some byte on; samples do not begin in the header of another format.
template <class File>
void check_data_file(const File& file, const NrrdHeader& header) {
  constexpr std::uint64_t kNiftiHeader = 348;
  if (!header.data_file.empty() && header.volume.offset < kNiftiHeader && FileStart(file).is_of(kNiftiFormat))
    throw Error(ErrorCode::data,
                "names a NIfTI, " + header.data_file + ", and its header as samples; read that file itself");
}

}  // namespace

/// An NRRD of one image or volume, or the header of one whose samples lie in a file next to it. Throws Error
/// (data, io, memory; no_input if there are no samples).
static std::unique_ptr<SampleSource> open_nrrd(std::shared_ptr<const InputFile> file,
                                               const ReadOptions& options) {
  NrrdHeader header = read_nrrd_header(*file, options.limits);
  RawVolume& volume = header.volume;
  if (!header.data_file.empty()) file = open_companion(file->path(), header.data_file, options.limits.follow);
  const std::uint64_t begin = after_lines(*file, volume.offset, header.lines);
  if (header.gzip) {
    if (header.bytes < 0) throw Error(ErrorCode::data, "compressed samples that are counted from the end");
    volume.offset = static_cast<std::uint64_t>(header.bytes);
    auto contents = std::make_shared<GunzippedFile>(std::move(file), begin);
    check_data_file(*contents, header);
    return open_raw_volume(volume, std::move(contents), options);
  }
  const double from_end = static_cast<double>(file->size()) - volume.all_bytes();
  if (header.bytes < 0 && from_end >= static_cast<double>(begin))
    volume.offset = static_cast<std::uint64_t>(from_end);
  else
    volume.offset = begin + static_cast<std::uint64_t>(std::max<std::int64_t>(0, header.bytes));
  check_data_file(*file, header);
  return open_raw_volume(volume, std::move(file), options);
}

namespace {

/// A word for each axis.
template <class Word>
std::string each(int axes, Word word) {
  std::string text;
  for (int i = 0; i < axes; ++i) text += " " + word(static_cast<std::size_t>(i));
  return text + "\n";
}

std::string vector_of(const Vector3& vector, int axes) {
  std::string text;
  for (int i = 0; i < axes; ++i) text += (i > 0 ? "," : "(") + shortest(vector[static_cast<std::size_t>(i)]);
  return text + ")";
}

std::string geometry_fields(const Geometry& geometry, int axes) {
  const std::string unit = "\"" + std::string(name_of(geometry.unit)) + "\"";
  std::string text;
  if (std::optional<Orientation> orientation = geometry.orientation) {
    if (axes < 3) orientation = in_lps(*orientation);  // which is meant where no name says it
    const std::string space = nrrd_name(orientation->space);
    text += space.empty() || axes < 3 ? fmt::format("space dimension: {}\n", axes) : "space: " + space + "\n";
    text += "space directions:" +
            each(axes, [&](std::size_t i) { return vector_of(orientation->steps[i], axes); });
    if (geometry.unit != LengthUnit::unknown)
      text += "space units:" + each(axes, [&](std::size_t) -> const std::string& { return unit; });
    return text + "space origin: " + vector_of(orientation->origin, axes) + "\n";
  }
  if (!geometry.is_known()) return text;
  text += "spacings:" + each(axes, [&](std::size_t i) {
            return is_spacing(geometry.spacing[i]) ? shortest(geometry.spacing[i]) : std::string("nan");
          });
  if (geometry.unit != LengthUnit::unknown)
    text += "units:" + each(axes, [&](std::size_t) -> const std::string& { return unit; });
  return text;
}

}  // namespace

LabelFile nrrd_label_file(const Extent& extent, const WriteOptions& options) {
  const LabelType type = options.type;
  const Geometry& geometry = options.geometry;
  const int sizes[] = {extent.width, extent.height, extent.depth};
  const int axes = extent.depth == 1 && is_flat(geometry) ? 2 : 3;
  const bool raw = options.compression == Compression::none;
  std::string header = fmt::format("NRRD0004\ntype: {}\ndimension: {}\nsizes:{}",
                                   type == LabelType::f32   ? "float"
                                   : type == LabelType::f64 ? "double"
                                                            : long_name(type),
                                   axes, each(axes, [&](std::size_t i) { return std::to_string(sizes[i]); }));
  header += geometry_fields(geometry, axes);
  header += "endian: little\nencoding: " + std::string(raw ? "raw" : "gzip") + "\n\n";
  return raw ? raw_label_file(header, extent, options) : gzip_label_file(header, {}, extent, options);
}

const InputFormat kNrrdFormat{
    .word = "nrrd",
    .title = "NRRD",
    .extensions = {{{".nrrd", LabelFormat::nrrd, ".nrrd"}, {".nhdr", {}, ".nrrd", true}}},
    .magic = {{{0, "NRRD00"}}},
    .open = open_nrrd,
    .selects_planes = true};

}  // namespace gpuccl::io
