#include "io/tiff/tiff_description.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpuccl/error.hpp"

namespace gpuccl::io {
namespace {

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && number > 0 ? number : otherwise;
}

/// Lines "key=value" behind "ImageJ=1.53".
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
    if (key == "spacing") description.z_spacing = number_in<double>(value, 0);
    if (key == "unit") description.unit_name = value;
  }
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

void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description) {
  const std::size_t pixels = xml.find("<Pixels");
  if (pixels == std::string::npos) return;  // the metadata are in another file
  const auto count = [&](const char* name) {
    return number_in<std::int64_t>(attribute(xml, pixels, name), 1);
  };
  description.channels = std::max<std::int64_t>(1, count("SizeC") / samples_per_pixel);
  description.slices = count("SizeZ");
  description.frames = count("SizeT");
  const double planes = static_cast<double>(description.channels) * static_cast<double>(description.slices) *
                        static_cast<double>(description.frames);
  description.planes = planes < 1e15 ? static_cast<std::int64_t>(planes) : std::int64_t{1} << 50;
  description.x_size = number_in<double>(attribute(xml, pixels, "PhysicalSizeX"), 0);
  description.y_size = number_in<double>(attribute(xml, pixels, "PhysicalSizeY"), 0);
  description.z_spacing = number_in<double>(attribute(xml, pixels, "PhysicalSizeZ"), 0);
  if (description.x_size > 0) {
    const std::string unit = attribute(xml, pixels, "PhysicalSizeXUnit");
    description.unit_name = unit.empty() || unit == "\xc2\xb5m" ? "um" : unit;  // micrometres unless stated
  }
}

/// {"shape": [165, 768, 1024], "truncated": true}
void parse_tifffile(const std::string& text, std::int64_t elements, TiffDescription& description) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.value("truncated", nlohmann::json()).is_boolean()) return;
  description.single_directory = json["truncated"].get<bool>();
  const nlohmann::json shape = json.value("shape", nlohmann::json());
  if (!description.single_directory || !shape.is_array()) return;
  double total = 1;
  for (const nlohmann::json& axis : shape) total *= axis.is_number_unsigned() ? axis.get<double>() : 0;
  const double planes = total / static_cast<double>(elements);
  if (planes >= 1 && planes < 1e15) description.planes = static_cast<std::int64_t>(planes);
}

}  // namespace

TiffDescription parse_description(const std::string& text, const std::string& software, std::int64_t elements,
                                  int samples_per_pixel) {
  using Writer = TiffDescription::Writer;
  TiffDescription description;
  description.by_tifffile = software.starts_with("tifffile") ||
                            (text.starts_with("{") && text.find("\"shape\"") != std::string::npos);
  if (text.starts_with("ImageJ=")) {
    description.writer = Writer::imagej;
    parse_imagej(text, description);
  } else if (text.find("<OME") < 500 && text.starts_with("<")) {
    description.writer = Writer::ome;
    parse_ome(text, samples_per_pixel, description);
  } else if (description.by_tifffile) {
    description.writer = Writer::tifffile;
    parse_tifffile(text, elements, description);
  }
  return description;
}

std::string check_axes(const TiffDescription& description) {
  const auto several = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what;
  };
  const bool in_ome = description.writer == TiffDescription::Writer::ome;
  const bool is_series = description.slices > 1 || description.frames > 1;
  if (description.channels > 1 && (in_ome || is_series))
    throw Error(Failure::data, "holds " + several(description.channels, "channels") +
                                   "; save the one to label as a file of its own");
  if (description.frames > 1 && description.slices > 1)
    throw Error(Failure::data, "holds " + several(description.slices, "slices at ") +
                                   several(description.frames, "points in time") +
                                   "; save the one to label as a file of its own");
  // Programs call the third axis of an array by any of these names.
  if (description.channels > 1) return several(description.channels, "channels") + " are taken as slices";
  if (description.frames > 1) return several(description.frames, "points in time") + " are taken as slices";
  return {};
}

}  // namespace gpuccl::io
