#include "io/zarr/zarr_label_metadata.hpp"

#include <nlohmann/json.hpp>

#include "gpuccl/version.hpp"
#include "io/files/json.hpp"

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

/// Returns the spacing, and the place of the first element if no axis is turned. An element of a smaller
/// scale stands for a block, and lies in its middle.
OrderedJson transformations_of(const Extent& extent, const std::array<int, 3>& steps,
                               const Geometry& geometry) {
  OrderedJson scale = OrderedJson::array(), translation = OrderedJson::array();
  bool is_moved = false;
  const Vector3 origin =
      geometry.orientation && is_unturned(*geometry.orientation) ? geometry.orientation->origin : Vector3{};
  for (std::size_t i = first_axis(extent); i < 3; ++i) {
    const double given = geometry.spacing[2 - i];
    const double spacing = is_spacing(given) ? given : 1.0;
    const double place = origin[2 - i] + (steps[2 - i] - 1) * spacing / 2;
    scale.push_back(spacing * steps[2 - i]);
    translation.push_back(place);
    is_moved = is_moved || place != 0;
  }
  OrderedJson list = {{{"type", "scale"}, {"scale", scale}}};
  if (is_moved) list.push_back({{"type", "translation"}, {"translation", translation}});
  return list;
}

OrderedJson attributes_of(const ZarrLabelHeader& header, const Extent& extent) {
  const char* version = header.version == 2 ? "0.4" : "0.5";
  const Geometry& geometry = header.options.geometry;
  OrderedJson datasets = OrderedJson::array();
  for (std::size_t level = 0; level < header.levels.size(); ++level)
    datasets.push_back(
        {{"path", std::to_string(level)},
         {"coordinateTransformations", transformations_of(extent, header.levels[level].steps, geometry)}});
  OrderedJson image = OrderedJson::object();
  if (!header.group.empty()) image["name"] = header.group;
  image.update({{"axes", axes_of(extent, geometry.unit)}, {"datasets", std::move(datasets)}});
  if (header.levels.size() > 1) image["type"] = "nearest";
  OrderedJson label = OrderedJson::object();
  if (header.version == 2) image["version"] = label["version"] = version;
  if (!header.group.empty()) label["source"] = {{"image", "../../"}};
  OrderedJson ome = {{"multiscales", {image}}, {"image-label", label}};
  const OrderedJson creator = {{"name", "gpuccl"}, {"version", GPUCCL_VERSION}};
  if (header.version == 3) {
    ome["version"] = version;
    return {{"ome", ome}, {"_creator", creator}};
  }
  ome["_creator"] = creator;
  return ome;
}

OrderedJson sizes(bool in_3d, int depth, int height, std::int64_t width) {
  OrderedJson list = OrderedJson::array();
  if (in_3d) list.push_back(depth);
  list.push_back(height);
  list.push_back(width);
  return list;
}

OrderedJson compressor_v2(const ChunkCompression& how) {
  if (!how.codec) return nullptr;
  if (*how.codec == ChunkCodec::zstd) return {{"id", "zstd"}, {"level", how.level}};
  if (*how.codec == ChunkCodec::blosc)
    return {{"id", "blosc"}, {"cname", "lz4"}, {"clevel", how.level}, {"shuffle", 1}, {"blocksize", 0}};
  return {{"id", "zlib"}, {"level", how.level}};
}

OrderedJson codec_v3(const ChunkCompression& how, LabelType type) {
  if (*how.codec == ChunkCodec::zstd)
    return {{"name", "zstd"}, {"configuration", {{"level", how.level}, {"checksum", false}}}};
  if (*how.codec == ChunkCodec::blosc)
    return {{"name", "blosc"},
            {"configuration",
             {{"typesize", bits_per_sample(type) / 8},
              {"cname", "lz4"},
              {"clevel", how.level},
              {"shuffle", "shuffle"},
              {"blocksize", 0}}}};
  return {{"name", "gzip"}, {"configuration", {{"level", how.level}}}};
}

OrderedJson array_v2(const OrderedJson& shape, const OrderedJson& chunk, LabelType type,
                     const ChunkCompression& how) {
  return {{"zarr_format", 2},
          {"shape", shape},
          {"chunks", chunk},
          {"dtype", numpy_name(type)},
          {"compressor", compressor_v2(how)},
          {"fill_value", 0},
          {"filters", nullptr},
          {"order", "C"},
          {"dimension_separator", "/"}};
}

OrderedJson names_of_axes(std::size_t count) {
  OrderedJson names = OrderedJson::array();
  for (std::size_t i = 3 - count; i < 3; ++i) names.push_back(std::string(1, "zyx"[i]));
  return names;
}

/// `shard`: null if each chunk is a file.
OrderedJson array_v3(const OrderedJson& shape, const OrderedJson& chunk, const OrderedJson& shard,
                     LabelType type, const ChunkCompression& how) {
  const OrderedJson bytes = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  OrderedJson codecs = OrderedJson::array({bytes});
  if (how.codec) codecs.push_back(codec_v3(how, type));
  if (!shard.is_null())
    codecs = OrderedJson::array({{{"name", "sharding_indexed"},
                                  {"configuration",
                                   {{"chunk_shape", chunk},
                                    {"codecs", codecs},
                                    {"index_codecs", OrderedJson::array({bytes, {{"name", "crc32c"}}})},
                                    {"index_location", "end"}}}}});
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", long_name(type)},
          {"chunk_grid",
           {{"name", "regular"}, {"configuration", {{"chunk_shape", shard.is_null() ? chunk : shard}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", 0},
          {"codecs", std::move(codecs)},
          {"attributes", OrderedJson::object()},
          {"dimension_names", names_of_axes(shape.size())}};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> zarr_label_metadata(const ZarrLabelHeader& header) {
  using Documents = std::vector<std::pair<std::string, std::string>>;
  const bool is_v2 = header.version == 2;
  const Extent& whole = header.levels.front().extent;
  const OrderedJson attributes = attributes_of(header, whole);
  const auto text = [](const OrderedJson& json) { return json_text(json, 2) + "\n"; };
  Documents documents =
      is_v2 ? Documents{{".zgroup", text({{"zarr_format", 2}})}, {".zattrs", text(attributes)}}
            : Documents{{"zarr.json",
                         text({{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}})}};
  ChunkCompression how = zarr_compression(header.options, header.version);
  if (how.is_deflate() && header.options.level == 0) how.level = 1;  // encoding of runs is as fast
  for (std::size_t level = 0; level < header.levels.size(); ++level) {
    const Extent& extent = header.levels[level].extent;
    const ZarrLabelLayout layout(extent, header.options);
    const bool in_3d = whole.depth > 1;
    const OrderedJson shape = sizes(in_3d, extent.depth, extent.height, extent.width);
    const OrderedJson chunk = sizes(in_3d, layout.depth, layout.height, layout.width);
    const LabelType type = header.options.type;
    const std::string folder = std::to_string(level);
    if (!is_v2) {
      const OrderedJson shard =
          header.shards ? sizes(in_3d, layout.depth, layout.height, layout.width * layout.columns) : nullptr;
      documents.emplace_back(folder + "/zarr.json", text(array_v3(shape, chunk, shard, type, how)));
      continue;
    }
    documents.emplace_back(folder + "/.zarray", text(array_v2(shape, chunk, type, how)));
    documents.emplace_back(folder + "/.zattrs",  // for xarray
                           text({{"_ARRAY_DIMENSIONS", names_of_axes(shape.size())}}));
  }
  return documents;
}

}  // namespace gpuccl::io
