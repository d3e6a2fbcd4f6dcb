#include "io/zarr/ome_image.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

constexpr const char* kV3 = "zarr.json";
constexpr const char* kV2Array = ".zarray";
constexpr const char* kV2Group = ".zgroup";
constexpr const char* kV2Attributes = ".zattrs";

/// One axis, as OME's metadata specifies it.
struct OmeAxis {
  std::string name, type, unit;
  double scale = 1, translation = 0;

  NamedAxis of_size(std::uint64_t size) const {
    NamedAxis axis{name, size};
    if (type == "channel" || type == "time") axis.name = type;
    axis.is_space = type.empty() ? !axis.is_channel() && !axis.is_time() : type == "space";
    return axis;
  }
};

[[noreturn]] void refuse(const std::string& why) { throw Error(Failure::data, why); }

ZarrArray read_array(const ZarrStore& store, const std::string& path, std::int64_t memory) {
  if (const auto v3 = read_zarr_json(store, path + kV3, memory)) {
    if (text_in(*v3, "node_type") != "array")
      refuse("'" + path + "' is a Zarr group, not the array of an image");
    return parse_zarr_v3(*v3);
  }
  if (const auto v2 = read_zarr_json(store, path + kV2Array, memory)) return parse_zarr_v2(*v2);
  refuse("its metadata names the array '" + path + "', which does not exist");
}

/// Before 0.4 axes had no types, before 0.3 not even names.
std::vector<OmeAxis> axes_of(const Json& multiscale, std::size_t count) {
  constexpr std::array kOldAxes = {"t", "c", "z", "y", "x"};
  std::vector<OmeAxis> axes;
  const Json& list = member(multiscale, "axes");
  if (list.is_array()) {
    for (const Json& axis : list)
      axes.push_back(axis.is_string()
                         ? OmeAxis{axis.get<std::string>(), "", ""}
                         : OmeAxis{text_in(axis, "name"), text_in(axis, "type"), text_in(axis, "unit")});
  } else if (count == kOldAxes.size()) {
    for (const char* name : kOldAxes) axes.push_back({name, "", ""});
  }
  if (axes.size() != count)
    refuse(fmt::format("its metadata names {} axes of an array of {}", axes.size(), count));
  return axes;
}

/// Applies scales and translations, one after the other.
void transform(const Json& transformations, std::vector<OmeAxis>& axes) {
  if (!transformations.is_array()) return;
  for (const Json& one : transformations) {
    const Json &scale = member(one, "scale"), &translation = member(one, "translation");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (scale.is_array() && scale.size() == axes.size() && scale[i].is_number()) {
        axes[i].scale *= scale[i].get<double>();
        axes[i].translation *= scale[i].get<double>();
      }
      if (translation.is_array() && translation.size() == axes.size() && translation[i].is_number())
        axes[i].translation += translation[i].get<double>();
    }
  }
}

Geometry geometry_of(const OmeImage& image, const std::vector<OmeAxis>& axes) {
  Geometry geometry;
  Orientation orientation;
  const std::optional<std::size_t> xyz[] = {image.axes.x, image.axes.y, image.axes.z};
  bool is_counted = axes[image.axes.x].unit.empty();  // elements, not a length
  for (std::size_t i = 0; i < 3; ++i) {
    if (!xyz[i]) continue;
    const OmeAxis& axis = axes[*xyz[i]];
    is_counted = is_counted && axis.scale == 1 && axis.translation == 0;
    geometry.spacing[i] = is_spacing(axis.scale) ? axis.scale : 0;
    orientation.origin[i] = axis.translation;
  }
  if (is_counted) return {};
  geometry.unit = length_unit(axes[image.axes.x].unit);
  for (std::size_t i = 1; i < 3; ++i) {
    const LengthUnit own = xyz[i] ? length_unit(axes[*xyz[i]].unit) : LengthUnit::unknown;
    if (own == LengthUnit::unknown || geometry.unit == LengthUnit::unknown) continue;
    geometry.spacing[i] *= unit_ratio(own, geometry.unit);
    orientation.origin[i] *= unit_ratio(own, geometry.unit);
  }
  orientation.steps = plain_orientation(geometry).steps;
  geometry.orientation = orientation;
  drop_unusable(geometry.orientation);
  return geometry;
}

void choose_axes(OmeImage& image, const std::vector<OmeAxis>& axes, const PlaneChoice& choice) {
  std::vector<NamedAxis> named;
  for (std::size_t i = 0; i < axes.size(); ++i) named.push_back(axes[i].of_size(image.array.shape[i]));
  image.axes = choose_axes(named, choice);
}

OmeImage plain_array(ZarrArray array, const PlaneChoice& choice) {
  OmeImage image;
  image.array = std::move(array);
  std::vector<OmeAxis> axes;
  for (const std::string& name : image.array.axis_names) axes.push_back({name, "", ""});
  choose_axes(image, axes, choice);
  return image;
}

/// `attributes`: of a group.
OmeImage multiscale_image(const ZarrStore& store, const Json& attributes, std::int64_t memory,
                          const PlaneChoice& choice) {
  const Json& ome = member(attributes, "ome");
  const Json& metadata = ome.is_object() ? ome : attributes;
  const std::string ome_version = text_in(metadata, "version");
  if (ome_version.starts_with("0.6"))
    refuse("is OME-Zarr " + ome_version + "; gpuccl reads versions up to 0.5, so convert it to 0.5");
  const Json& multiscales = member(metadata, "multiscales");
  if (!multiscales.is_array() || multiscales.empty()) {
    if (member(metadata, "plate").is_object() || member(metadata, "well").is_object())
      refuse("is a plate of many images; name one of them, as in plate.zarr/A/1/0");
    if (!member(metadata, "labels").is_null())
      refuse("is a group of label images; name one of them, as in image.zarr/labels/cells");
    if (!member(metadata, "bioformats2raw.layout").is_null())
      refuse("is a collection of images; name one of them, as in images.zarr/0");
    refuse("is a Zarr group without an OME image; name an array in it, as in group.zarr/array");
  }
  const Json& datasets = member(multiscales[0], "datasets");
  if (!datasets.is_array() || datasets.empty()) refuse("has an OME image without arrays");
  OmeImage image;
  image.path = text_in(datasets[0], "path");
  if (!image.path.empty() && image.path.back() != '/') image.path += '/';
  image.array = read_array(store, image.path, memory);
  std::vector<OmeAxis> axes = axes_of(multiscales[0], image.array.shape.size());
  transform(member(datasets[0], "coordinateTransformations"), axes);
  transform(member(multiscales[0], "coordinateTransformations"), axes);
  choose_axes(image, axes, choice);
  image.geometry = geometry_of(image, axes);
  return image;
}

}  // namespace

bool is_zarr(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path folder = path;
  if (!std::filesystem::is_directory(folder, unknown)) return false;
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name, unknown); };
  return has(kV3) || has(kV2Array) || has(kV2Group) || has(kV2Attributes);
}

bool is_plain_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) && !is_zarr(path);
}

OmeImage find_ome_image(const ZarrStore& store, std::int64_t memory, const PlaneChoice& choice) {
  if (const auto v3 = read_zarr_json(store, kV3, memory)) {
    if (text_in(*v3, "node_type") == "array") return plain_array(parse_zarr_v3(*v3), choice);
    return multiscale_image(store, member(*v3, "attributes"), memory, choice);
  }
  if (const auto v2 = read_zarr_json(store, kV2Array, memory)) return plain_array(parse_zarr_v2(*v2), choice);
  const auto attributes = read_zarr_json(store, kV2Attributes, memory);
  return multiscale_image(store, attributes ? *attributes : Json(), memory, choice);
}

}  // namespace gpuccl::io
