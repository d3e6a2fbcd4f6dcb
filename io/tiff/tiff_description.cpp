#include "io/tiff/tiff_description.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/flat_json.hpp"
#include "io/tiff/ome_description.hpp"

namespace gpuccl::io {
namespace {

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && number > 0 ? number : otherwise;
}

/// Lines "key=value" after "ImageJ=1.53". A composite of pixels of several samples has them for channels.
void parse_imagej(const std::string& text, const FirstPage& page, TiffDescription& description) {
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
  if (page.samples_per_pixel > 1 && description.channels == page.samples_per_pixel &&
      description.planes == page.pages * page.samples_per_pixel) {
    description.samples_are_channels = true;
    description.planes = page.pages;
    description.channels = 1;
  }
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

/// Axes that have another name, or none, are slices, time points, channels, from the last on, as far as
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

/// The options that choose among what `series` hold. Pages that are unlike cannot be read together.
std::string how_to_choose(const std::vector<TiffSeries>& series, bool are_alike) {
  const auto any = [&](std::int64_t TiffSeries::*several) {
    return std::any_of(series.begin(), series.end(), [&](const TiffSeries& one) { return one.*several > 1; });
  };
  std::vector<std::string> options;
  if (series.size() > 1) options.emplace_back("--series");
  if (any(&TiffSeries::channels)) options.emplace_back("--channel");
  if (any(&TiffSeries::frames)) options.emplace_back("--frame");
  if (options.empty()) return "save the image to label as a separate file";
  std::string list = options.front();
  for (std::size_t i = 1; i < options.size(); ++i)
    list += (i + 1 < options.size() ? ", " : " and ") + options[i];
  list += options.size() == 1 ? " N selects one, from 0" : " select what to read";
  if (!are_alike) return list;
  if (options.size() == 1 && series.size() == 1 && series.front().slices == 1)
    list += ", --page 0.." + std::to_string(series.front().planes() - 1) + " all as slices";
  return any(&TiffSeries::channels) ? list : list + ", --per-slice labels each page separately";
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
  } else if (text.find("<OME") < 500 && text.starts_with("<")) {
    description.writer = Writer::ome;
    parse_ome(text, page.samples_per_pixel, description);
  } else if (description.by_tifffile) {
    description.writer = Writer::tifffile;
    parse_tifffile(text, page.elements, description);
  }
  return description;
}

void check_axes(const TiffDescription& description, std::int64_t found, bool are_alike, bool are_apart) {
  const auto several = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what;
  };
  const auto refuse = [&](const std::string& what) {
    throw Error(Failure::data, "contains " + what + "; " + how_to_choose(description.series, are_alike));
  };
  if (are_apart) {
    if (description.channels > 1) refuse(several(description.channels, "channels"));
    return;
  }
  if (!description.other_axes.empty()) refuse(description.other_axes);
  if (description.images > 1 && found > description.planes) refuse(several(description.images, "images"));
  if (description.channels > 1) refuse(several(description.channels, "channels"));
  if (description.frames > 1 && description.slices > 1)
    refuse(several(description.slices, "slices at ") + several(description.frames, "time points"));
  if (description.frames > 1) refuse(several(description.frames, "time points"));
}

}  // namespace gpuccl::io
