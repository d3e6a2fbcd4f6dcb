#include "io/zarr/zarr_array.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

/// "NaN", "Infinity", "-Infinity", or the bits as "0x7fc00000".
std::optional<std::uint64_t> bits_in_words(const std::string& text, const SampleFormat& format) {
  const std::uint64_t exponent = format.bits == 16   ? 0x7c00
                                 : format.bits == 32 ? 0x7f800000
                                                     : 0x7ff0000000000000;
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
  if (text == "NaN") return exponent | (exponent & ~(exponent << 1)) >> 1;
  if (text == "Infinity") return exponent;
  if (text == "-Infinity") return exponent | sign;
  std::uint64_t bits = 0;
  if (!text.starts_with("0x")) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return bits;
}

std::uint64_t bits_of_number(double number, int bits) {
  std::uint64_t code = 0;
  if (bits == 64) {
    std::memcpy(&code, &number, 8);
  } else if (bits == 32) {
    const auto narrow = static_cast<float>(number);
    std::memcpy(&code, &narrow, 4);
  } else {  // a half: what is normal and exact
    int exponent = 0;
    const double fraction = std::frexp(std::abs(number), &exponent);
    const double scaled = std::ldexp(fraction, 11);
    if (number == 0) return 0;
    if (exponent < -13 || exponent > 16 || scaled != std::trunc(scaled))
      refuse_zarr("its fill_value is not a 16-bit number");
    code = static_cast<std::uint64_t>(exponent + 14) << 10 | (static_cast<std::uint64_t>(scaled) & 1023u);
    if (number < 0) code |= 0x8000;
  }
  return code;
}

/// The bits of the fill value. Some programs, bioformats2raw for one, write numbers as text.
std::uint64_t fill_bits(const Json& value, const SampleFormat& format) {
  if (value.is_null()) return 0;
  if (value.is_string())
    if (const Json number = parse_json(value.get_ref<const std::string&>()); number.is_number())
      return fill_bits(number, format);
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (format.kind == SampleKind::floating) {
    if (value.is_string())
      if (const auto bits = bits_in_words(value.get<std::string>(), format)) return *bits;
    if (value.is_number()) return bits_of_number(value.get<double>(), format.bits);
  } else if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    return static_cast<std::uint64_t>(value.get<std::int64_t>());
  } else if (value.is_number() && value.get<double>() == 0) {
    return 0;
  }
  refuse_zarr("fill_value " + json_text(value).substr(0, 60));
}

}  // namespace

std::uint64_t ZarrShards::count() const {
  return std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string ZarrArray::key(const std::vector<std::uint64_t>& at) const {
  std::string key = key_prefix;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    key += (axis > 0 ? std::string(1, key_separator) : "") + std::to_string(at[axis]);
  return key;
}

void complete(ZarrArray& array, const Json& fill_value) {
  constexpr std::size_t kMaxAxes = 32;
  constexpr std::uint64_t kMaxShardChunks = std::uint64_t{1} << 24;  // chunks: an index of 256 MiB
  const std::size_t axes = array.shape.size();
  if (axes < 2 || axes > kMaxAxes)
    refuse_zarr(std::to_string(axes) + (axes == 1 ? " axis" : " axes") + ", not 2 or 3: (y, x) or (z, y, x)");
  if (array.chunk.size() != axes) refuse_zarr("chunks with another number of axes than the shape");
  check_chunk(array);
  if (array.shards && !product(array.shards->chunks, kMaxShardChunks))
    refuse_zarr("shards of " + sizes_in_words(array.shards->chunks) + " chunks");
  if (array.order.empty()) array.order = order_of_c(axes);
  const std::uint64_t bits = fill_bits(fill_value, array.format);
  array.fill.resize(array.sample_bytes());
  std::memcpy(array.fill.data(), &bits, array.fill.size());
}

namespace {

using Json = nlohmann::json;

/// "<u2": byte order, kind and bytes of a sample.
void parse_type(const std::string& type, ZarrArray& array) {
  if (type.size() != 3) refuse_zarr("type " + type.substr(0, 60));
  const char order = type[0], kind = type[1], bytes = type[2];
  const bool is_known =
      kind == 'u' || kind == 'i' || (kind == 'f' && bytes != '1') || (kind == 'b' && bytes == '1');
  const bool is_size = bytes == '1' || bytes == '2' || bytes == '4' || bytes == '8';
  if (!is_known || !is_size || (order != '<' && order != '>' && order != '|')) refuse_zarr("type " + type);
  array.format.bits = (bytes - '0') * 8;
  array.format.kind = kind == 'i'   ? SampleKind::signed_integer
                      : kind == 'f' ? SampleKind::floating
                                    : SampleKind::unsigned_integer;
  array.swapped = order == '>';
}

}  // namespace

ZarrArray parse_zarr_v2(const Json& zarray) {
  ZarrArray array;
  array.shape = sizes_in(zarray, "shape");
  array.chunk = sizes_in(zarray, "chunks");
  parse_type(text_in(zarray, "dtype"), array);
  if (text_in(zarray, "order") == "F") {
    array.order.resize(array.shape.size());
    std::iota(array.order.rbegin(), array.order.rend(), std::size_t{0});
  }
  const Json& filters = member(zarray, "filters");
  if (filters.is_array())
    for (const Json& filter : filters) array.codecs.add(zarr_codec(text_in(filter, "id")));
  const Json& compressor = member(zarray, "compressor");
  if (!compressor.is_null()) array.codecs.add(zarr_codec(text_in(compressor, "id")));
  const std::string separator = text_in(zarray, "dimension_separator");
  if (!separator.empty() && separator != "." && separator != "/")
    refuse_zarr("dimension_separator " + separator);
  array.key_separator = separator == "/" ? '/' : '.';
  complete(array, member(zarray, "fill_value"));
  return array;
}

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
  array.is_v3 = true;
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
  complete(array, member(zarr_json, "fill_value"));
  return array;
}

namespace {

struct NamedCodec {
  std::string_view name;
  std::optional<ChunkCodec> compressor;  // none: the checksum

  bool is_here() const { return !compressor || is_built_in(*compressor); }
};
constexpr std::array<NamedCodec, 6> kCodecs = {{{"zlib", ChunkCodec::zlib},
                                                {"gzip", ChunkCodec::gzip},
                                                {"zstd", ChunkCodec::zstd},
                                                {"blosc", ChunkCodec::blosc},
                                                {"lz4", ChunkCodec::lz4},
                                                {"crc32c", std::nullopt}}};

constexpr std::size_t kCrcBytes = 4;
using ByteSpan = std::span<const std::byte>;
using Out = std::span<std::byte>;

/// Returns the bytes before the checksum.
ByteSpan checked(ByteSpan bytes) {
  std::uint32_t sum = 0;
  if (bytes.size() < kCrcBytes) throw Error(ErrorCode::data, "is too short for its checksum");
  const ByteSpan body = bytes.first(bytes.size() - kCrcBytes);
  std::memcpy(&sum, body.data() + body.size(), kCrcBytes);
  if (crc32c(body) != sum) throw Error(ErrorCode::data, "has a wrong checksum");
  return body;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (0x82f63b78u & (0u - (rest & 1u)));
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::byte byte : bytes)
    sum = sum >> 8 ^ kTable[(sum ^ std::to_integer<std::uint32_t>(byte)) & 255u];
  return ~sum;
}

std::optional<ChunkCodec> zarr_codec(std::string_view name) {
  constexpr std::string_view kRegistry = "numcodecs.";  // how zarr-python calls those that v3 does not name
  const std::string_view plain = name.starts_with(kRegistry) ? name.substr(kRegistry.size()) : name;
  for (const NamedCodec& known : kCodecs)
    if (plain == known.name && known.is_here()) return known.compressor;
  throw Error(ErrorCode::data, "its codec '" + std::string(plain.substr(0, 60)) +
                                   "' is not in this build of gpuccl; rewrite the array with zarr-python and "
                                   "one of " +
                                   zarr_codecs_in_words());
}

std::string zarr_codecs_in_words() {
  std::string words;
  for (const NamedCodec& known : kCodecs)
    if (known.is_here()) words += (words.empty() ? "" : ", ") + std::string(known.name);
  return words;
}

void ZarrCodecs::add(std::optional<ChunkCodec> codec) {
  const auto is_compressor = [](const std::optional<ChunkCodec>& one) { return one.has_value(); };
  if (codec && std::any_of(codecs_.begin(), codecs_.end(), is_compressor))
    throw Error(ErrorCode::data, "its chunks are compressed twice; compress them once");
  codecs_.push_back(codec);
}

std::vector<std::string> ZarrCodecs::checksums() const {
  std::vector<std::string> names;
  for (const std::optional<ChunkCodec>& codec : codecs_)
    if (const char* const name = codec ? checksum_of(*codec) : "CRC-32C"; *name != 0)
      names.emplace_back(name);
  return names;
}

std::size_t ZarrCodecs::most_stored(std::size_t bytes) const {
  return codecs_.empty() ? bytes : bytes + bytes / 64 + 4096;
}

void ZarrCodecs::decode(ByteSpan stored, Out out) const {
  std::vector<std::byte> inner;  // with the checksums that were compressed as well
  auto codec = codecs_.rbegin();
  for (; codec != codecs_.rend(); ++codec) {
    if (!*codec) {
      stored = checked(stored);
      continue;
    }
    const auto sums = static_cast<std::size_t>(codecs_.rend() - codec - 1);
    Out to = out;
    if (sums > 0) {
      inner.resize(out.size() + sums * kCrcBytes);
      to = inner;
    }
    if (!decompress(**codec, stored, to))
      throw Error(ErrorCode::data, "is damaged, or contains fewer samples than its shape requires");
    stored = to;
  }
  if (stored.size() != out.size()) throw Error(ErrorCode::data, "has a size that does not match its shape");
  if (stored.data() != out.data()) std::memcpy(out.data(), stored.data(), out.size());
}

}  // namespace gpuccl::io
