#include "io/hdf5/hdf5_metadata.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/files/flat_json.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

/// An attribute of the dataset; nothing if there is none of this name and these elements.
std::optional<Hdf5Id> attribute(hid_t dataset, const char* name, hssize_t least, hssize_t most) {
  if (checked_hdf5(h5().H5Aexists(dataset, name)) == 0) return std::nullopt;
  Hdf5Id found(h5().H5Aopen(dataset, name, H5P_DEFAULT));
  const Hdf5Id space(h5().H5Aget_space(found.get()));
  const hssize_t elements = h5().H5Sget_simple_extent_npoints(space.get());
  return least <= elements && elements <= most ? std::optional(std::move(found)) : std::nullopt;
}

/// A text of any kind that libhdf5 has; "" if there is none.
std::string text_in(hid_t dataset, const char* name) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::optional<Hdf5Id> found = attribute(dataset, name, 1, 1);
  if (!found) return "";
  const Hdf5Id type(h5().H5Aget_type(found->get()));
  if (h5().H5Tget_class(type.get()) != H5T_STRING) return "";
  if (checked_hdf5(h5().H5Tis_variable_str(type.get())) > 0) {
    char* text = nullptr;
    checked_hdf5(h5().H5Aread(found->get(), type.get(), static_cast<void*>(&text)));
    const std::string copy(text == nullptr ? "" : text);
    h5().H5free_memory(text);
    return copy.size() <= kMost ? copy : "";
  }
  const std::size_t bytes = h5().H5Tget_size(type.get());
  if (bytes == 0 || bytes > kMost) return "";
  std::string text(bytes, '\0');
  checked_hdf5(h5().H5Aread(found->get(), type.get(), text.data()));
  return text.substr(0, text.find('\0'));
}

/// Numbers for the last axes, x last; nothing if they are none.
std::vector<double> numbers_in(hid_t dataset, const char* name) {
  const std::optional<Hdf5Id> found = attribute(dataset, name, 2, 3);
  if (!found) return {};
  const Hdf5Id type(h5().H5Aget_type(found->get())), space(h5().H5Aget_space(found->get()));
  if (h5().H5Tget_class(type.get()) != H5T_INTEGER && h5().H5Tget_class(type.get()) != H5T_FLOAT) return {};
  std::vector<double> numbers(static_cast<std::size_t>(h5().H5Sget_simple_extent_npoints(space.get())));
  checked_hdf5(h5().H5Aread(found->get(), *h5().H5T_NATIVE_DOUBLE_g, numbers.data()));
  return numbers;
}

struct TaggedAxis {
  std::string key;
  double resolution = 0;
};

/// Returns none if there are no axistags for this number of axes.
std::vector<TaggedAxis> axistags(hid_t dataset, std::size_t axes) {
  constexpr int kDeepest = 16;
  const Json json = parse_flat_json<Json>(text_in(dataset, "axistags"), kDeepest, [] {});
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

/// element_size_um has z, y, x; y and x alone are an image's, and say nothing of a volume.
Geometry geometry_of(hid_t dataset, const ImageAxes& axes, const std::vector<TaggedAxis>& tags) {
  Geometry geometry;
  std::vector<double> sizes = numbers_in(dataset, "element_size_um");
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

ChunkedImage read_hdf5_metadata(hid_t dataset, const std::vector<std::uint64_t>& shape,
                                const PlaneChoice& choice) {
  const std::vector<TaggedAxis> tags = axistags(dataset, shape.size());
  ChunkedImage image;
  image.format_name = "hdf5";
  image.axes = choose_axes(named_axes(shape, tags), choice);
  image.geometry = geometry_of(dataset, image.axes, tags);
  return image;
}

}  // namespace gpuccl::io
