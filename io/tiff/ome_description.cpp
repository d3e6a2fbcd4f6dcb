#include "io/tiff/ome_description.hpp"

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/bytes_in_words.hpp"

namespace gpuccl::io {
namespace {

constexpr std::int64_t kMostPlanes = std::int64_t{1} << 20;  // along an axis; no file has so many
constexpr double kMostTreeBytes = 64 << 20;

/// Memory that pugixml takes at most for the tree of a text.
double tree_bytes(const std::string& xml) {
  constexpr double kOfTag = 128, kOfAttribute = 40;  // of an element and the text after it
  return kOfTag * static_cast<double>(std::count(xml.begin(), xml.end(), '<')) +
         kOfAttribute * static_cast<double>(std::count(xml.begin(), xml.end(), '='));
}

/// Whether an element has this name, in whatever namespace.
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
  return failure == std::errc() && number >= least ? number : otherwise;
}

std::int64_t size_of(const pugi::xml_node& pixels, const char* name) {
  return std::min(number_of<std::int64_t>(pixels, name, 1, 1), kMostPlanes);
}

/// The axes along which planes follow each other, first the fastest: "ZCT" of "XYZCT".
std::string order_of(const pugi::xml_node& pixels) {
  const std::string order = pixels.attribute("DimensionOrder").as_string();
  for (const char* known : {"ZCT", "ZTC", "CZT", "CTZ", "TZC", "TCZ"})
    if (order == std::string("XY") + known) return known;
  return "ZCT";
}

/// The plane of `series`, from its first on, at these places along its axes.
std::int64_t place_of(const TiffSeries& series, const pugi::xml_node& data) {
  std::int64_t place = 0, stride = 1;
  for (const char axis : series.order) {
    const char name[] = {'F', 'i', 'r', 's', 't', axis, '\0'};
    place += stride * number_of<std::int64_t>(data, name, 0, 0);
    stride *= axis == 'C' ? series.channels : axis == 'T' ? series.frames : series.slices;
  }
  return place;
}

/// Planes follow each other from the page on that the first TiffData names. Others that name another page
/// than that order gives make the series scattered.
TiffSeries series_of(const pugi::xml_node& pixels, int samples_per_pixel, std::int64_t next) {
  TiffSeries series;
  series.channels = std::max<std::int64_t>(1, size_of(pixels, "SizeC") / samples_per_pixel);
  series.slices = size_of(pixels, "SizeZ");
  series.frames = size_of(pixels, "SizeT");
  series.order = order_of(pixels);
  series.first = next;
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

/// Sizes along x, y and z in the unit of x; 0 if that or their own unit is unknown.
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
  if (!(spacing[0] > 0 && spacing[1] > 0)) return;  // a unit for some axes alone misleads
  series.spacing = spacing;
  series.unit = unit;
}

}  // namespace

void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description) {
  if (tree_bytes(xml) > kMostTreeBytes)
    throw Error(Failure::data, "has OME-XML of " + bytes_in_words(static_cast<double>(xml.size())) +
                                   " with more elements than are read");
  pugi::xml_document document;
  // A text that ends early still has what comes before.
  document.load_buffer(xml.data(), xml.size(), pugi::parse_minimal | pugi::parse_escapes);
  std::vector<pugi::xml_node> all;
  for (const pugi::xml_node& root : document.children())
    for_each_child(root, "Image", [&](const pugi::xml_node& image) {
      for_each_child(image, "Pixels", [&](const pugi::xml_node& pixels) { all.push_back(pixels); });
    });
  if (all.empty()) return;  // the metadata are in another file
  std::int64_t next = 0;
  for (const pugi::xml_node& pixels : all) {
    TiffSeries series = series_of(pixels, samples_per_pixel, next);
    add_sizes(pixels, series);
    next = series.first + series.planes();
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

}  // namespace gpuccl::io
