#include "io/tiff/tiff_description.hpp"

#include <fmt/core.h>

#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"
#include "io/image/image_axes.hpp"

namespace gpuccl::io {
const TiffSeries& chosen_series(const std::vector<TiffSeries>& series, const PlaneChoice& choice) {
  return series[static_cast<std::size_t>(resolve_index(static_cast<std::int64_t>(series.size()),
                                                       choice.series, "images", "series", choice.options))];
}

std::vector<std::int64_t> chosen_planes(const std::vector<TiffSeries>& series, const PlaneChoice& choice) {
  const TiffSeries& one = chosen_series(series, choice);
  check_order(one, choice.options);
  const std::int64_t frame = resolve_index(one.frames, choice.frame, "time points", "frame", choice.options);
  const std::int64_t channel = resolve_index(one.channels, choice.channel,
                                             channels_in_words(one.channel_names), "channel", choice.options);
  std::int64_t plane = one.first, step = 1, stride = 1;
  for (const char axis : one.order) {
    if (axis == 'Z')
      step = stride;
    else
      plane += planes_of(stride, axis == 'C' ? channel : frame);
    stride = planes_of(stride, axis == 'C' ? one.channels : axis == 'T' ? one.frames : one.slices);
  }
  constexpr std::int64_t kMax = std::int64_t{1} << 22;  // no file has so many, and the list takes memory
  if (one.slices > kMax)
    throw Error(ErrorCode::data, fmt::format("its description lists {} slices", one.slices));
  std::vector<std::int64_t> planes;
  for (std::int64_t i = 0; i < one.slices; ++i) planes.push_back(plane + i * step);
  return planes;
}

void check_order(const TiffSeries& series, const PlaneOptions& options) {
  if (series.is_scattered)
    throw Error(ErrorCode::data,
                "stores its planes in other files or in an unsupported order; " +
                    (options.instead.empty()
                         ? options.prefix + "page N..M reads pages as they follow each other in the file"
                         : options.remedy("page")));
}

namespace {

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !(number > 0)) return otherwise;
  return std::is_integral_v<Number> ? std::min(number, static_cast<Number>(kMaxPlanes)) : number;
}

/// Parses lines "key=value" after "ImageJ=1.53". In a composite, the samples of a pixel are channels.
void parse_imagej(const std::string& text, const FirstPage& page, TiffDescription& description) {
  bool is_composite = false;
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
    is_composite |= key == "mode";
    if (key == "unit") description.unit = length_unit(value);
    if (key == "yunit") description.y_unit = length_unit(value);
    if (key == "zunit") description.z_unit = length_unit(value);
    if (key == "cf" || (key.size() == 2 && key[0] == 'c' && key[1] >= '0' && key[1] <= '9'))
      description.calibration += (description.calibration.empty() ? "" : " ") + value;
  }
  // ImageJ writes neither images= for a composite of one page, nor spacing= for a distance of 1.
  const std::int64_t planes = page.pages * page.samples_per_pixel;
  if (page.samples_per_pixel > 1 && (is_composite || description.channels == page.samples_per_pixel) &&
      (description.planes == 0 ? page.pages == 1 : description.planes == planes)) {
    description.samples_are_channels = true;
    description.planes = page.pages;
    description.channels = 1;
  }
  if (description.spacing[2] == 0 && description.unit != LengthUnit::unknown &&
      std::max(description.slices, description.planes) > 1)
    description.spacing[2] = 1;
}

/// Returns the axes of ImageJ, which counts slices only if there is another axis too.
TiffSeries imagej_series(const TiffDescription& description) {
  TiffSeries series;
  series.channels = description.channels;
  series.frames = description.frames;
  series.slices = description.slices;
  if (series.planes() == 1) series.slices = std::max<std::int64_t>(1, description.planes);
  return series;
}

/// Returns the axes of `shape` before those of a page of `elements` samples; none if no such page fits.
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

/// Letters of tifffile for axes that are none of space: phases, angles, tiles, lifetimes, wavelengths,
/// exposures, events, mosaics.
constexpr std::string_view kApart = "PARHELVMF";

/// Unnamed and other axes become slices, time points and channels, from the last one on, unless these exist.
void add_tifffile_series(const std::vector<std::int64_t>& axes, const std::string& names,
                         std::vector<TiffSeries>& all) {
  TiffSeries series;
  series.order.clear();
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i] < 2) continue;
    char letter = names[i];
    for (const char other : {'Z', 'T', 'C'})
      if (!(other == 'Z' && kApart.find(names[i]) != std::string_view::npos) &&
          (letter != 'Z' && letter != 'T' && letter != 'C') && names.find(other) == std::string::npos &&
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
  const nlohmann::json json = parse_json(text, kDeepest);
  if (!json.is_object()) return;
  const nlohmann::json truncated = json.value("truncated", nlohmann::json());
  const nlohmann::json shape = json.value("shape", nlohmann::json());
  const nlohmann::json named = json.value("axes", nlohmann::json());
  description.single_directory = truncated.is_boolean() && truncated.get<bool>();
  if (!shape.is_array()) return;
  const std::vector<std::int64_t> axes = axes_of_pages(shape, elements);
  std::string names = named.is_string() ? named.get<std::string>() : "";
  if (names.size() != shape.size()) names.assign(shape.size(), '?');
  if (axes.size() < names.size()) description.samples_axis = names[axes.size()];

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
  if (letters.size() > 1 || letters.find_first_of(kApart) != std::string::npos)
    description.other_axes =
        sizes + " planes" + (letters.find('?') == std::string::npos ? " (axes " + letters + ")" : "");
}

/// Returns the options that choose among `series`. Pages that differ cannot be read together.
std::string how_to_choose(const std::vector<TiffSeries>& series, bool are_alike,
                          const PlaneOptions& options) {
  const auto any = [&](std::int64_t TiffSeries::*several) {
    return std::any_of(series.begin(), series.end(), [&](const TiffSeries& one) { return one.*several > 1; });
  };
  std::vector<std::string> axes;
  if (series.size() > 1) axes.emplace_back("series");
  if (any(&TiffSeries::channels)) axes.emplace_back("channel");
  if (any(&TiffSeries::frames)) axes.emplace_back("frame");
  if (axes.empty()) return "save the image to label as a separate file";
  std::string more;
  if (are_alike && axes.size() == 1 && series.size() == 1 && series.front().slices == 1)
    more = options.all_pages(series.front().planes());
  if (are_alike && !any(&TiffSeries::channels)) more += options.each_page();
  if (axes.size() == 1 || !options.instead.empty()) return options.remedy(axes.front(), more);
  std::string list;
  for (std::size_t i = 0; i < axes.size(); ++i)
    list += (i == 0 ? "" : i + 1 < axes.size() ? ", " : " and ") + options.prefix + axes[i];
  return list + " select what to read" + more;
}

}  // namespace

TiffDescription parse_description(const std::string& text, const std::string& software,
                                  const FirstPage& page) {
  using Writer = TiffDescription::Writer;
  TiffDescription description;
  description.by_tifffile = software.starts_with("tifffile") ||
                            (text.starts_with("{") && text.find("\"shape\"") != std::string::npos);
  if (text.starts_with("ImageJ=")) {
    description.writer = Writer::imagej;
    parse_imagej(text, page, description);
    description.series = {imagej_series(description)};
  } else if (text.find("OME") != std::string::npos && text.find('<') != std::string::npos) {
    parse_ome(text, page.samples_per_pixel, description);
  }
  if (description.writer == Writer::unknown && description.by_tifffile) {
    description.writer = Writer::tifffile;
    description.samples_axis = '?';
    parse_tifffile(text, page.elements, description);
  }
  return description;
}

void check_axes(const TiffDescription& description, std::int64_t found, bool are_alike, bool are_apart,
                const PlaneOptions& options) {
  const auto several = [](std::int64_t count, const std::string& what) {
    return std::to_string(count) + " " + what;
  };
  const auto channels = [&] {
    const bool is_listed = !description.series.empty();
    return several(
        description.channels,
        channels_in_words(is_listed ? description.series.front().channel_names : std::vector<std::string>()));
  };
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::data,
                "contains " + what + "; " + how_to_choose(description.series, are_alike, options));
  };
  if (are_apart) {
    if (description.channels > 1) refuse(channels());
    return;
  }
  if (!description.vendor.empty() && found > 1)
    throw Error(ErrorCode::data,
                fmt::format("contains {} pages, whose axes only the private tags of {} specify; {}", found,
                            description.vendor,
                            options.remedy("page", options.all_pages(found) + options.each_page())));
  if (!description.other_axes.empty()) refuse(description.other_axes);
  if (description.images > 1 && found > description.planes) refuse(several(description.images, "images"));
  if (description.channels > 1) refuse(channels());
  if (description.frames > 1 && description.slices > 1)
    refuse(several(description.slices, "slices at ") + several(description.frames, "time points"));
  if (description.frames > 1) refuse(several(description.frames, "time points"));
}

namespace {

constexpr double kMaxTreeBytes = 64 << 20;

/// Returns the maximum memory of pugixml for the tree of a text.
double tree_bytes(const std::string& xml) {
  constexpr double kOfTag = 128, kOfAttribute = 40;  // of an element and the text after it
  return kOfTag * static_cast<double>(std::count(xml.begin(), xml.end(), '<')) +
         kOfAttribute * static_cast<double>(std::count(xml.begin(), xml.end(), '='));
}

/// Returns whether an element has this name, in any namespace.
bool is_named(const pugi::xml_node& node, std::string_view name) {
  const std::string_view full = node.name();
  const std::size_t colon = full.find(':');
  return full.substr(colon == std::string_view::npos ? 0 : colon + 1) == name;
}

template <class Visit>
void for_each_child(const pugi::xml_node& parent, std::string_view name, Visit visit) {
  for (const pugi::xml_node& child : parent.children())
    if (is_named(child, name)) visit(child);
}

template <class Number>
Number number_of(const pugi::xml_node& node, const char* name, Number otherwise, Number least) {
  const std::string_view text = node.attribute(name).as_string();
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !(number >= least)) return otherwise;
  return std::is_integral_v<Number> ? std::min(number, static_cast<Number>(kMaxPlanes)) : number;
}

std::int64_t size_of(const pugi::xml_node& pixels, const char* name) {
  return number_of<std::int64_t>(pixels, name, 1, 1);
}

/// Returns the axes of planes, the fastest first: "ZCT" for "XYZCT".
std::string order_of(const pugi::xml_node& pixels) {
  const std::string order = pixels.attribute("DimensionOrder").as_string();
  for (const char* known : {"ZCT", "ZTC", "CZT", "CTZ", "TZC", "TCZ"})
    if (order == std::string("XY") + known) return known;
  return "ZCT";
}

/// Returns the index in `series` of the plane at these positions along its axes.
std::int64_t place_of(const TiffSeries& series, const pugi::xml_node& data) {
  std::int64_t place = 0, stride = 1;
  for (const char axis : series.order) {
    const char name[] = {'F', 'i', 'r', 's', 't', axis, '\0'};
    place += planes_of(stride, number_of<std::int64_t>(data, name, 0, 0));
    stride = planes_of(stride, axis == 'C' ? series.channels : axis == 'T' ? series.frames : series.slices);
  }
  return place;
}

/// Returns the series of planes that begins at the page of the first TiffData. If another TiffData
/// contradicts the order of planes, the series is scattered.
TiffSeries series_of(const pugi::xml_node& pixels, int samples_per_pixel, std::int64_t next) {
  TiffSeries series;
  series.channels = std::max<std::int64_t>(1, size_of(pixels, "SizeC") / samples_per_pixel);
  series.slices = size_of(pixels, "SizeZ");
  series.frames = size_of(pixels, "SizeT");
  series.order = order_of(pixels);
  series.first = next;
  if (samples_per_pixel == 1)
    for_each_child(pixels, "Channel", [&](const pugi::xml_node& channel) {
      series.channel_names.emplace_back(channel.attribute("Name").as_string());
    });
  bool is_first = true;
  for_each_child(pixels, "TiffData", [&](const pugi::xml_node& data) {
    const auto page = number_of<std::int64_t>(data, "IFD", -1, 0);
    if (page < 0) return;
    const std::int64_t place = place_of(series, data);
    if (is_first && page >= place) series.first = page - place;
    series.is_scattered |= page != series.first + place;
    is_first = false;
  });
  return series;
}

/// Adds sizes along x, y and z in the unit of x; 0 if that or their own unit is unknown.
void add_sizes(const pugi::xml_node& pixels, TiffSeries& series) {
  const auto unit_of = [&](const char* name) {
    const std::string text = pixels.attribute(name).as_string();
    return text.empty() ? LengthUnit::um : length_unit(text);
  };
  const LengthUnit unit = unit_of("PhysicalSizeXUnit");
  const auto size = [&](const char* name, const char* unit_name) {
    const LengthUnit its_unit = unit_of(unit_name);
    if (unit == LengthUnit::unknown || its_unit == LengthUnit::unknown) return 0.0;
    return number_of<double>(pixels, name, 0, 0) * unit_ratio(its_unit, unit);
  };
  const Vector3 spacing = {size("PhysicalSizeX", "PhysicalSizeXUnit"),
                           size("PhysicalSizeY", "PhysicalSizeYUnit"),
                           size("PhysicalSizeZ", "PhysicalSizeZUnit")};
  if (!(spacing[0] > 0 && spacing[1] > 0)) return;  // a unit for only some axes misleads
  series.spacing = spacing;
  series.unit = unit;
}

}  // namespace

void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description) {
  if (tree_bytes(xml) > kMaxTreeBytes)
    throw Error(ErrorCode::data, "has OME-XML of " + bytes_in_words(static_cast<double>(xml.size())) +
                                     " with more elements than are read");
  pugi::xml_document document;
  // A truncated text is used up to its end.
  document.load_buffer(xml.data(), xml.size(), pugi::parse_minimal | pugi::parse_escapes);
  std::vector<pugi::xml_node> all;
  for_each_child(document, "OME", [&](const pugi::xml_node& root) {
    description.writer = TiffDescription::Writer::ome;
    for_each_child(root, "Image", [&](const pugi::xml_node& image) {
      for_each_child(image, "Pixels", [&](const pugi::xml_node& pixels) { all.push_back(pixels); });
    });
    for_each_child(root, "BinaryOnly", [&](const pugi::xml_node& other) {
      description.metadata_file = other.attribute("MetadataFile").as_string("another file");
    });
  });
  if (all.empty()) return;
  std::int64_t next = 0;
  for (const pugi::xml_node& pixels : all) {
    TiffSeries series = series_of(pixels, samples_per_pixel, next);
    add_sizes(pixels, series);
    next = std::min(series.first + series.planes(), kMaxPlanes);
    description.series.push_back(std::move(series));
  }
  const TiffSeries& first = description.series.front();
  description.images = static_cast<std::int64_t>(all.size());
  description.channels = first.channels;
  description.slices = first.slices;
  description.frames = first.frames;
  description.planes = first.planes();
  description.spacing = first.spacing;
  description.unit = first.unit;
}

/// Returns the reciprocal, rounded to the digits of a float, because libtiff makes a float of a fraction.
static double reciprocal(double resolution) {
  constexpr int kDigits = 7;
  char text[32];
  const auto written =
      std::to_chars(std::begin(text), std::end(text), 1 / resolution, std::chars_format::general, kDigits);
  double value = 0;
  std::from_chars(std::begin(text), written.ptr, value);
  return value;
}

Resolution read_resolution(const TiffHandle& tiff) {
  float x = 0, y = 0;
  TIFFGetField(tiff.get(), TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff.get(), TIFFTAG_YRESOLUTION, &y);
  const Resolution resolution = {x, y, ResolutionUnit::none};
  if (!resolution.is_known()) return {};
  switch (tiff.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH)) {
    case RESUNIT_INCH:
      return {x, y, ResolutionUnit::inch};
    case RESUNIT_CENTIMETER:
      return {x, y, ResolutionUnit::centimetre};
    default:
      return resolution;
  }
}

void add_spacing(const TiffDescription& description, Geometry& geometry) {
  geometry.unit = description.unit;
  geometry.spacing = description.spacing;
  if (geometry.is_known()) {
    geometry.resolution = {};
  } else if (geometry.unit != LengthUnit::unknown && geometry.resolution.is_known()) {
    geometry.spacing[0] = reciprocal(geometry.resolution.x);
    geometry.spacing[1] = reciprocal(geometry.resolution.y);
  }
  for (const auto& [axis, unit] : {std::pair(1, description.y_unit), std::pair(2, description.z_unit)}) {
    if (!unit || geometry.unit == LengthUnit::unknown) continue;
    if (*unit == LengthUnit::unknown) return void(geometry = {.resolution = geometry.resolution});
    geometry.spacing[static_cast<std::size_t>(axis)] *= unit_ratio(*unit, geometry.unit);
  }
}

}  // namespace gpuccl::io
