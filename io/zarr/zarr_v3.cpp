#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

void parse_type(const Json& type, SampleFormat& format) {
  struct Known {
    const char* name;
    SampleKind kind;
    int bits;
  };
  using enum SampleKind;
  constexpr Known kKnown[] = {
      {"bool", unsigned_integer, 8},    {"uint8", unsigned_integer, 8},   {"uint16", unsigned_integer, 16},
      {"uint32", unsigned_integer, 32}, {"uint64", unsigned_integer, 64}, {"int8", signed_integer, 8},
      {"int16", signed_integer, 16},    {"int32", signed_integer, 32},    {"int64", signed_integer, 64},
      {"float16", floating, 16},        {"float32", floating, 32},        {"float64", floating, 64}};
  for (const Known& known : kKnown)
    if (type == known.name) {
      format.kind = known.kind;
      format.bits = known.bits;
      return;
    }
  refuse_zarr("type " + json_text(type).substr(0, 60));
}

/// Returns the name of a codec, a grid or a chunk key encoding. v3 allows a name alone.
std::string name_of(const Json& named) {
  return named.is_string() ? named.get<std::string>() : text_in(named, "name");
}

bool is_big_endian(const Json& bytes_codec) {
  const Json& endian = member(member(bytes_codec, "configuration"), "endian");
  if (endian.is_null() || endian == "little") return false;
  if (endian != "big") refuse_zarr("endian " + json_text(endian).substr(0, 60));
  return true;
}

/// The order in which transpositions, one after the other, leave the axes.
void transpose(const std::vector<std::uint64_t>& by, std::vector<std::size_t>& order) {
  std::vector<std::size_t> next;
  for (const std::uint64_t axis : by) {
    if (axis >= order.size()) refuse_zarr("a transposition of other axes");
    const std::size_t from = order[static_cast<std::size_t>(axis)];
    if (std::find(next.begin(), next.end(), from) != next.end()) refuse_zarr("a transposition of other axes");
    next.push_back(from);
  }
  if (next.size() != order.size()) refuse_zarr("a transposition of other axes");
  order = std::move(next);
}

/// Parses the codecs of chunks.
void parse_codecs(const Json& codecs, ZarrArray& array) {
  if (!codecs.is_array()) refuse_zarr("no codecs");
  bool is_bytes = false;
  for (const Json& codec : codecs) {
    const std::string name = name_of(codec);
    if (is_bytes) {
      array.codecs.add(zarr_codec(name));
    } else if (name == "transpose") {
      transpose(sizes_in(member(codec, "configuration"), "order"), array.order);
    } else if (name == "bytes") {
      array.swapped = is_big_endian(codec);
      is_bytes = true;
    } else {
      refuse_zarr("codec '" + name.substr(0, 60) + "' instead of bytes, transpose or sharding_indexed");
    }
  }
  if (!is_bytes) refuse_zarr("no codec that makes bytes");
}

void parse_index_codecs(const Json& codecs, ZarrShards& shards) {
  if (!codecs.is_array() || codecs.empty() || codecs.size() > 2 || name_of(codecs[0]) != "bytes")
    refuse_zarr("an index of shards in other codecs than bytes and crc32c");
  shards.index_swapped = is_big_endian(codecs[0]);
  shards.index_has_checksum = codecs.size() == 2;
  if (shards.index_has_checksum && name_of(codecs[1]) != "crc32c")
    refuse_zarr("an index of shards in other codecs than bytes and crc32c");
}

/// Parses shards; the array's chunks are the shards.
void parse_shards(const Json& codec, ZarrArray& array) {
  const Json& configuration = member(codec, "configuration");
  const std::vector<std::uint64_t> shard = array.chunk;
  array.chunk = sizes_in(configuration, "chunk_shape");
  if (array.chunk.size() != shard.size()) refuse_zarr("chunks with another number of axes than the shards");
  ZarrShards& shards = array.shards.emplace();
  for (std::size_t axis = 0; axis < shard.size(); ++axis) {
    if (array.chunk[axis] == 0 || shard[axis] == 0 || shard[axis] % array.chunk[axis] != 0)
      refuse_zarr("shards that are not a multiple of the chunks");
    shards.chunks.push_back(shard[axis] / array.chunk[axis]);
  }
  const std::string location = text_in(configuration, "index_location");
  if (!location.empty() && location != "start" && location != "end")
    refuse_zarr("index_location " + location);
  shards.index_first = location == "start";
  parse_index_codecs(member(configuration, "index_codecs"), shards);
  parse_codecs(member(configuration, "codecs"), array);
}

void parse_keys(const Json& encoding, ZarrArray& array) {
  const std::string name = name_of(encoding);
  if (name != "default" && name != "v2") refuse_zarr("chunk_key_encoding " + name);
  array.key_prefix = name == "default" ? "c" : "";
  const std::string separator = text_in(member(encoding, "configuration"), "separator");
  if (!separator.empty() && separator != "." && separator != "/") refuse_zarr("separator " + separator);
  array.key_separator = !separator.empty() ? separator.front() : name == "default" ? '/' : '.';
  if (!array.key_prefix.empty()) array.key_prefix += array.key_separator;
}

}  // namespace

ZarrArray parse_zarr_v3(const Json& zarr_json) {
  ZarrArray array;
  array.shape = sizes_in(zarr_json, "shape");
  parse_type(member(zarr_json, "data_type"), array.format);
  const Json& grid = member(zarr_json, "chunk_grid");
  if (name_of(grid) != "regular") refuse_zarr("chunk_grid " + name_of(grid).substr(0, 60));
  array.chunk = sizes_in(member(grid, "configuration"), "chunk_shape");
  parse_keys(member(zarr_json, "chunk_key_encoding"), array);
  const Json& transformers = member(zarr_json, "storage_transformers");
  if (transformers.is_array() && !transformers.empty()) refuse_zarr("storage_transformers");
  array.order.resize(array.shape.size());
  std::iota(array.order.begin(), array.order.end(), std::size_t{0});
  const Json& codecs = member(zarr_json, "codecs");
  if (codecs.is_array() && codecs.size() == 1 && name_of(codecs[0]) == "sharding_indexed") {
    parse_shards(codecs[0], array);
  } else {
    parse_codecs(codecs, array);
  }
  const Json& names = member(zarr_json, "dimension_names");
  if (names.is_array() && names.size() == array.shape.size())
    for (const Json& name : names)
      array.axis_names.push_back(name.is_string() ? name.get<std::string>() : "");
  complete(array, member(zarr_json, "fill_value"));
  return array;
}

}  // namespace gpuccl::io
