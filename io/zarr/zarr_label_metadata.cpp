#include "io/zarr/zarr_label_metadata.hpp"

#include <nlohmann/json.hpp>

#include "gpuccl/version.hpp"

namespace gpuccl::io {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// z, y, x; of an image y and x.
std::size_t first_axis(const Extent& extent) { return extent.depth > 1 ? 0 : 1; }

OrderedJson axes_of(const Extent& extent, LengthUnit unit) {
  OrderedJson axes = OrderedJson::array();
  for (std::size_t i = first_axis(extent); i < 3; ++i) {
    OrderedJson axis = {{"name", std::string(1, "zyx"[i])}, {"type", "space"}};
    if (unit != LengthUnit::unknown) axis["unit"] = word_of(unit);
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// The spacing, and the place of the first element where no axis is turned.
OrderedJson transformations_of(const Extent& extent, const Geometry& geometry) {
  OrderedJson scale = OrderedJson::array(), translation = OrderedJson::array();
  bool is_moved = false;
  const Vector3 origin =
      geometry.orientation && is_unturned(*geometry.orientation) ? geometry.orientation->origin : Vector3{};
  for (std::size_t i = first_axis(extent); i < 3; ++i) {
    const double spacing = geometry.spacing[2 - i];
    scale.push_back(is_spacing(spacing) ? spacing : 1.0);
    translation.push_back(origin[2 - i]);
    is_moved = is_moved || origin[2 - i] != 0;
  }
  OrderedJson list = {{{"type", "scale"}, {"scale", scale}}};
  if (is_moved) list.push_back({{"type", "translation"}, {"translation", translation}});
  return list;
}

OrderedJson attributes_of(const ZarrLabelHeader& header, const Extent& extent) {
  const char* version = header.version == 2 ? "0.4" : "0.5";
  OrderedJson image = {
      {"axes", axes_of(extent, header.geometry.unit)},
      {"datasets",
       {{{"path", "0"}, {"coordinateTransformations", transformations_of(extent, header.geometry)}}}}};
  OrderedJson label = OrderedJson::object();
  if (header.version == 2) image["version"] = label["version"] = version;
  if (header.is_in_image) label["source"] = {{"image", "../../"}};
  OrderedJson ome = {{"multiscales", {image}}, {"image-label", label}};
  const OrderedJson creator = {{"name", "gpuccl"}, {"version", GPUCCL_VERSION}};
  if (header.version == 3) {
    ome["version"] = version;
    return {{"ome", ome}, {"_creator", creator}};
  }
  ome["_creator"] = creator;
  return ome;
}

OrderedJson sizes(const Extent& extent, int depth, int height, int width) {
  OrderedJson list = OrderedJson::array();
  if (extent.depth > 1) list.push_back(depth);
  list.push_back(height);
  list.push_back(width);
  return list;
}

OrderedJson array_v2(const OrderedJson& shape, const OrderedJson& chunk, LabelType type) {
  return {{"zarr_format", 2},
          {"shape", shape},
          {"chunks", chunk},
          {"dtype", numpy_name(type)},
          {"compressor", {{"id", "zlib"}, {"level", 1}}},
          {"fill_value", 0},
          {"filters", nullptr},
          {"order", "C"},
          {"dimension_separator", "/"}};
}

OrderedJson array_v3(const OrderedJson& shape, const OrderedJson& chunk, LabelType type) {
  OrderedJson names = OrderedJson::array();
  for (std::size_t i = 3 - shape.size(); i < 3; ++i) names.push_back(std::string(1, "zyx"[i]));
  const OrderedJson bytes = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  const OrderedJson gzip = {{"name", "gzip"}, {"configuration", {{"level", 1}}}};
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", long_name(type)},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", 0},
          {"codecs", {bytes, gzip}},
          {"attributes", OrderedJson::object()},
          {"dimension_names", names}};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> zarr_label_metadata(const ZarrLabelHeader& header,
                                                                     const ZarrLabelLayout& layout) {
  const Extent& extent = layout.strips.extent;
  const OrderedJson shape = sizes(extent, extent.depth, extent.height, extent.width);
  const OrderedJson chunk = sizes(extent, 1, layout.height, layout.width);
  const OrderedJson attributes = attributes_of(header, extent);
  const auto text = [](const OrderedJson& json) { return json.dump(2) + "\n"; };
  if (header.version == 2)
    return {{".zgroup", text({{"zarr_format", 2}})},
            {".zattrs", text(attributes)},
            {"0/.zarray", text(array_v2(shape, chunk, header.type))}};
  return {{"zarr.json", text({{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}})},
          {"0/zarr.json", text(array_v3(shape, chunk, header.type))}};
}

}  // namespace gpuccl::io
