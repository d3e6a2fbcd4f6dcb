#include "io/hdf5/hdf5_metadata.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/files/json.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

struct TaggedAxis {
  std::string key;
  double resolution = 0;
};

/// Returns none if there are no axistags for this number of axes.
std::vector<TaggedAxis> tagged_axes(const std::string& axistags, std::size_t axes) {
  constexpr int kDeepest = 16;
  const Json json = parse_json(axistags, kDeepest);
  if (!json.is_object() || !json.contains("axes")) return {};
  const Json& list = json["axes"];
  if (!list.is_array() || list.size() != axes) return {};
  std::vector<TaggedAxis> tags;
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("key") || !one["key"].is_string()) return {};
    TaggedAxis tag{one["key"].get<std::string>()};
    if (one.contains("resolution") && one["resolution"].is_number())
      tag.resolution = one["resolution"].get<double>();
    tags.push_back(tag);
  }
  return tags;
}

std::vector<NamedAxis> named_axes(const std::vector<std::uint64_t>& shape,
                                  const std::vector<TaggedAxis>& tags) {
  std::vector<NamedAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    NamedAxis axis{tags.empty() ? "" : tags[i].key, shape[i]};
    axis.is_space = !axis.is_channel() && !axis.is_time();
    axes.push_back(axis);
  }
  std::size_t space = axes.size();
  for (NamedAxis& axis : axes)
    if (tags.empty() && space > 3 && axis.size == 1) {
      axis.is_space = false;
      --space;
    }
  return axes;
}

/// Returns the spacing by element_size_um: z, y, x. Two numbers, y and x, are valid for images only.
Geometry geometry_of(std::vector<double> sizes, const ImageAxes& axes, const std::vector<TaggedAxis>& tags) {
  Geometry geometry;
  if (sizes.size() != 3 && (sizes.size() != 2 || axes.z)) sizes.clear();
  const std::optional<std::size_t> xyz[] = {axes.x, axes.y, axes.z};
  for (std::size_t i = 0; i < 3; ++i) {
    double size = 0;
    if (!sizes.empty())
      size = i < sizes.size() ? sizes[sizes.size() - 1 - i] : 0;
    else if (!tags.empty() && xyz[i])
      size = tags[*xyz[i]].resolution;
    geometry.spacing[i] = is_spacing(size) ? size : 0;
  }
  if (!geometry.is_known()) return {};
  if (!sizes.empty()) geometry.unit = LengthUnit::um;
  return geometry;
}

}  // namespace

ChunkedImage image_of(const Hdf5Array& array, const PlaneChoice& choice) {
  const std::vector<TaggedAxis> tags = tagged_axes(array.axistags, array.shape.size());
  ChunkedImage image;
  image.format_name = "hdf5";
  image.axes = choose_axes(named_axes(array.shape, tags), choice);
  image.geometry = geometry_of(array.sizes, image.axes, tags);
  return image;
}

}  // namespace gpuccl::io
