#include "io/tiff/tiff_description.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/files/flat_json.hpp"

namespace gpuccl::io {
namespace {

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && number > 0 ? number : otherwise;
}

/// Lines "key=value" after "ImageJ=1.53".
void parse_imagej(const std::string& text, TiffDescription& description) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "images") description.planes = number_in<std::int64_t>(value, 0);
    if (key == "channels") description.channels = number_in<std::int64_t>(value, 1);
    if (key == "slices") description.slices = number_in<std::int64_t>(value, 1);
    if (key == "frames") description.frames = number_in<std::int64_t>(value, 1);
    if (key == "spacing") description.spacing[2] = number_in<double>(value, 0);
    if (key == "unit") description.unit = length_unit(value);
  }
}

/// Of ImageJ, which counts slices only where there is another axis beside them.
TiffSeries imagej_series(const TiffDescription& description) {
  TiffSeries series;
  series.channels = description.channels;
  series.frames = description.frames;
  series.slices = description.slices;
  if (series.planes() == 1) series.slices = std::max<std::int64_t>(1, description.planes);
  return series;
}

/// The value of an attribute in the tag that starts at `tag`; empty if it has none of that name.
std::string attribute(const std::string& xml, std::size_t tag, const std::string& name) {
  const std::string tag_text = xml.substr(tag, xml.find('>', tag) - tag);
  for (std::size_t at = tag_text.find(name); at != std::string::npos; at = tag_text.find(name, at + 1)) {
    const std::size_t quote = at + name.size() + 1;
    if (std::isspace(static_cast<unsigned char>(tag_text[at - 1])) == 0 || quote >= tag_text.size()) continue;
    if (tag_text[quote - 1] != '=' || (tag_text[quote] != '"' && tag_text[quote] != '\'')) continue;
    const std::size_t end = tag_text.find(tag_text[quote], quote + 1);
    if (end != std::string::npos) return tag_text.substr(quote + 1, end - quote - 1);
  }
  return {};
}

constexpr std::int64_t kMostPlanes = std::int64_t{1} << 20;  // along an axis of OME; no file has so many

/// Images one after the other, each from the plane that its first TiffData names, if it names one.
void add_ome_series(const std::string& xml, int samples_per_pixel, std::vector<TiffSeries>& all) {
  std::int64_t next = 0;
  for (std::size_t at = xml.find("<Pixels "); at != std::string::npos;) {
    const std::size_t end = xml.find("<Pixels ", at + 1);
    const auto count = [&](const char* name) {
      return std::min(number_in<std::int64_t>(attribute(xml, at, name), 1), kMostPlanes);
    };
    TiffSeries series;
    series.channels = std::max<std::int64_t>(1, count("SizeC") / samples_per_pixel);
    series.slices = count("SizeZ");
    series.frames = count("SizeT");
    if (std::string order = attribute(xml, at, "DimensionOrder");
        order.size() == 5 && order.starts_with("XY")) {
      order.erase(0, 2);
      std::string letters = order;
      std::sort(letters.begin(), letters.end());
      if (letters == "CTZ") series.order = order;
    } else {
      series.order = "ZCT";
    }
    const std::size_t data = xml.find("<TiffData ", at);
    series.first = data < end ? number_in<std::int64_t>(attribute(xml, data, "IFD"), next) : next;
    next = series.first + series.planes();
    all.push_back(series);
    at = end;
  }
}

void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description) {
  const std::size_t pixels = xml.find("<Pixels");
  if (pixels == std::string::npos) return;  // the metadata are in another file
  const auto count = [&](const char* name) {
    return number_in<std::int64_t>(attribute(xml, pixels, name), 1);
  };
  for (std::size_t next = xml.find("<Pixels ", pixels + 1); next != std::string::npos;
       next = xml.find("<Pixels ", next + 1))
    ++description.images;
  add_ome_series(xml, samples_per_pixel, description.series);
  description.channels = std::max<std::int64_t>(1, count("SizeC") / samples_per_pixel);
  description.slices = count("SizeZ");
  description.frames = count("SizeT");
  const double planes = static_cast<double>(description.channels) * static_cast<double>(description.slices) *
                        static_cast<double>(description.frames);
  description.planes = planes < 1e15 ? static_cast<std::int64_t>(planes) : std::int64_t{1} << 50;
  const auto unit_of = [&](const std::string& axis) {
    const std::string name = attribute(xml, pixels, "PhysicalSize" + axis + "Unit");
    return name.empty() ? LengthUnit::um : length_unit(name);
  };
  const LengthUnit unit = unit_of("X");
  // In the unit of x; 0 if it or the other is none.
  const auto size = [&](const std::string& axis) {
    const LengthUnit its_unit = unit_of(axis);
    if (unit == LengthUnit::unknown || its_unit == LengthUnit::unknown) return 0.0;
    return number_in<double>(attribute(xml, pixels, "PhysicalSize" + axis), 0) * unit_ratio(its_unit, unit);
  };
  if (size("X") <= 0 || size("Y") <= 0) return;  // a unit for some axes alone misleads
  description.spacing = {size("X"), size("Y"), size("Z")};
  description.unit = unit;
}

/// The axes of `shape` in front of those that make a page of `elements` samples; none if no such page fits.
std::vector<std::int64_t> axes_of_pages(const nlohmann::json& shape, double elements) {
  std::vector<std::int64_t> axes;
  for (const nlohmann::json& axis : shape) {
    if (!axis.is_number_unsigned() || axis.get<std::uint64_t>() > INT32_MAX) return {};
    axes.push_back(axis.get<std::int64_t>());
  }
  double page = 1;
  while (!axes.empty() && page < elements) {
    page *= static_cast<double>(axes.back());
    axes.pop_back();
  }
  return page == elements ? axes : std::vector<std::int64_t>{};
}

/// Axes that have another name, or none, are slices, points in time, channels, from the last on, as far as
/// these are not there.
void add_tifffile_series(const std::vector<std::int64_t>& axes, const std::string& names,
                         std::vector<TiffSeries>& all) {
  TiffSeries series;
  series.order.clear();
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i] < 2) continue;
    char letter = names[i];
    for (const char other : {'Z', 'T', 'C'})
      if ((letter != 'Z' && letter != 'T' && letter != 'C') && names.find(other) == std::string::npos &&
          series.order.find(other) == std::string::npos)
        letter = other;
    if (series.order.find(letter) != std::string::npos || (letter != 'Z' && letter != 'T' && letter != 'C'))
      return;
    series.order += letter;
    (letter == 'Z' ? series.slices : letter == 'T' ? series.frames : series.channels) = axes[i];
  }
  all.push_back(series);
}

/// {"shape": [165, 768, 1024], "axes": "ZYX", "truncated": true}, of which only the first is always there.
void parse_tifffile(const std::string& text, double elements, TiffDescription& description) {
  constexpr int kDeepest = 16;  // of what is copied below, each level of which takes stack
  const auto json = parse_flat_json<nlohmann::json>(text, kDeepest, [] {});
  if (!json.is_object()) return;
  const nlohmann::json truncated = json.value("truncated", nlohmann::json());
  const nlohmann::json shape = json.value("shape", nlohmann::json());
  const nlohmann::json named = json.value("axes", nlohmann::json());
  description.single_directory = truncated.is_boolean() && truncated.get<bool>();
  if (!shape.is_array()) return;
  const std::vector<std::int64_t> axes = axes_of_pages(shape, elements);
  std::string names = named.is_string() ? named.get<std::string>() : "";
  if (names.size() != shape.size()) names.assign(axes.size(), '?');

  double planes = 1;
  std::string sizes, letters;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    planes *= static_cast<double>(axes[i]);
    if (axes[i] < 2) continue;
    sizes += (sizes.empty() ? "" : "x") + std::to_string(axes[i]);
    letters += names[i];
    if (names[i] == 'C') description.channels = axes[i];
    if (names[i] == 'T') description.frames = axes[i];
  }
  if (description.single_directory && planes >= 1 && planes < 1e15)
    description.planes = static_cast<std::int64_t>(planes);
  if (planes >= 1 && planes < 1e15 && !axes.empty()) add_tifffile_series(axes, names, description.series);
  if (letters.size() > 1)
    description.other_axes =
        sizes + " planes" + (letters.find('?') == std::string::npos ? " (axes " + letters + ")" : "");
}

/// The options that choose among what `series` hold.
std::string how_to_choose(const std::vector<TiffSeries>& series) {
  const auto any = [&](std::int64_t TiffSeries::*several) {
    return std::any_of(series.begin(), series.end(), [&](const TiffSeries& one) { return one.*several > 1; });
  };
  std::vector<std::string> options;
  if (series.size() > 1) options.emplace_back("--series");
  if (any(&TiffSeries::channels)) options.emplace_back("--channel");
  if (any(&TiffSeries::frames)) options.emplace_back("--frame");
  if (options.empty()) return "save the image to label as its own file";
  if (options.size() == 1) return options.front() + " N selects one, from 0";
  std::string list = options.front();
  for (std::size_t i = 1; i < options.size(); ++i)
    list += (i + 1 < options.size() ? ", " : " and ") + options[i];
  return list + " choose what to read";
}

}  // namespace

TiffDescription parse_description(const std::string& text, const std::string& software, double elements,
                                  int samples_per_pixel) {
  using Writer = TiffDescription::Writer;
  TiffDescription description;
  description.by_tifffile = software.starts_with("tifffile") ||
                            (text.starts_with("{") && text.find("\"shape\"") != std::string::npos);
  if (text.starts_with("ImageJ=")) {
    description.writer = Writer::imagej;
    parse_imagej(text, description);
    description.series = {imagej_series(description)};
  } else if (text.find("<OME") < 500 && text.starts_with("<")) {
    description.writer = Writer::ome;
    parse_ome(text, samples_per_pixel, description);
  } else if (description.by_tifffile) {
    description.writer = Writer::tifffile;
    parse_tifffile(text, elements, description);
  }
  return description;
}

std::string check_axes(const TiffDescription& description, std::int64_t found) {
  const auto several = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what;
  };
  const auto refuse = [&](const std::string& what) {
    throw Error(Failure::data, "holds " + what + "; " + how_to_choose(description.series));
  };
  const bool in_ome = description.writer == TiffDescription::Writer::ome;
  const bool is_series = description.slices > 1 || description.frames > 1;
  if (!description.other_axes.empty()) refuse(description.other_axes);
  if (description.images > 1 && found > description.planes) refuse(several(description.images, "images"));
  if (description.channels > 1 && (in_ome || is_series)) refuse(several(description.channels, "channels"));
  if (description.frames > 1 && description.slices > 1)
    refuse(several(description.slices, "slices at ") + several(description.frames, "points in time"));
  if (description.frames > 1 && in_ome) refuse(several(description.frames, "points in time"));
  // Programs call the third axis of an array by any of these names.
  if (description.channels > 1) return several(description.channels, "channels") + " are taken as slices";
  if (description.frames > 1) return several(description.frames, "points in time") + " are taken as slices";
  return {};
}

}  // namespace gpuccl::io
