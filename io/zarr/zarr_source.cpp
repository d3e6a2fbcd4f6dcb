#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/image/cf_attributes.hpp"
#include "io/image/chunks.hpp"
#include "io/image/formats.hpp"
#include "io/image/geometry.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_label_metadata.hpp"
#include "io/zarr/zarr_store.hpp"
#include "io/zarr/zarr_zip.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

constexpr const char* kV3 = "zarr.json";
constexpr const char* kV2Array = ".zarray";
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

/// The array of images in a Zarr store.
struct OmeArray {
  std::string path;  // of the array in the store: "" or ending in "/"
  ZarrArray array;
  std::vector<OmeAxis> axes;  // none without metadata of OME
  std::vector<std::string> channels;
};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::data, why); }

/// Returns a fill value as xarray writes it for Zarr v3, where it is the base64 of a double in little-endian
/// order: the double as text. Other texts stay.
std::string decoded_fill(const std::string& text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() != 12 || text.back() != '=') return text;
  std::uint64_t high = 0;  // the first eight bytes, the last digit of which has two bits too many
  for (std::size_t i = 0; i < 11; ++i) {
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return text;
    high = i < 10 ? high << 6 | digit : high << 4 | digit >> 2;
  }
  swap_bytes(64, reinterpret_cast<std::byte*>(&high), sizeof high);
  return fmt::format("{}", std::bit_cast<double>(high));
}

/// Returns the text of a number, a list of numbers, or a text.
std::string numbers_as_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return SampleValue::of(value.get<double>()).text();  // all digits
  if (!value.is_array()) return json_text(value);
  std::string text;
  for (const Json& one : value) text += (text.empty() ? "" : " ") + numbers_as_text(one);
  return text;
}

/// Names the axes of an array, and makes values of its samples, by its attributes. In a Zarr v2 that xarray
/// writes, `fill_value` of the array is _FillValue; 0 there is what every array has, and is missing only if
/// samples are packed.
void apply_attributes(const Json& attributes, const Json& fill_value, const Json& dimension_names,
                      ZarrArray& array) {
  const Json& dimensions = member(attributes, "_ARRAY_DIMENSIONS");
  const Json& names = dimension_names.is_array() ? dimension_names : dimensions;
  if (names.is_array() && names.size() == array.shape.size())
    for (const Json& name : names)
      array.axis_names.push_back(name.is_string() ? name.get<std::string>() : "");
  CfAttributes cf;
  for (std::size_t i = 0; i < cf.size(); ++i) cf[i] = numbers_as_text(member(attributes, kCfAttributes[i]));
  std::string& fill = cf[2];
  if (array.format.kind == SampleKind::floating) fill = decoded_fill(fill);
  const bool is_packed = !cf[0].empty() || !cf[1].empty();
  const bool is_plain_0 = fill_value.is_number() && fill_value.get<double>() == 0 && !is_packed;
  if (fill.empty() && !dimensions.is_null() && !is_plain_0) fill = numbers_as_text(fill_value);
  apply_cf(cf, array.format);
}

ZarrArray read_array(const ZarrStore& store, const std::string& path, std::int64_t memory) {
  if (const auto v3 = read_zarr_json(store, path + kV3, memory)) {
    if (text_in(*v3, "node_type") != "array")
      refuse("'" + path + "' is a Zarr group, not the array of an image");
    ZarrArray array = parse_zarr_v3(*v3);
    apply_attributes(member(*v3, "attributes"), {}, member(*v3, "dimension_names"), array);
    return array;
  }
  if (const auto v2 = read_zarr_json(store, path + kV2Array, memory)) {
    ZarrArray array = parse_zarr_v2(*v2);
    const auto attributes = read_zarr_json(store, path + kV2Attributes, memory);
    apply_attributes(attributes.value_or(Json()), member(*v2, "fill_value"), {}, array);
    return array;
  }
  refuse("its metadata names the array '" + path + "', which does not exist");
}

/// Returns the first element of a list; a null value if there is none.
const Json& first_of(const Json& list) {
  static const Json none;
  return list.is_array() && !list.empty() ? list[0] : none;
}

/// Returns the axes of an image. Since 0.6 they are those of the coordinate system in which the
/// transformations of its arrays end.
const Json& axes_in(const Json& multiscale) {
  const Json& systems = member(multiscale, "coordinateSystems");
  if (!systems.is_array()) return member(multiscale, "axes");
  const Json& dataset = first_of(member(multiscale, "datasets"));
  const Json& transformations = member(dataset, "coordinateTransformations");
  if (!transformations.is_array() || transformations.size() != 1)
    refuse(fmt::format("has {} coordinate transformations of an array, not 1; write them as one sequence",
                       transformations.size()));
  const Json& output = member(transformations[0], "output");
  const std::string name = output.is_string() ? output.get<std::string>() : text_in(output, "name");
  for (const Json& system : systems)
    if (text_in(system, "name") == name) return member(system, "axes");
  refuse("its arrays lie in the coordinate system '" + name +
         "', which its metadata do not define; correct its output");
}

/// Before 0.4 axes had no types, before 0.3 not even names.
std::vector<OmeAxis> axes_of(const Json& multiscale, std::size_t count) {
  constexpr std::array kOldAxes = {"t", "c", "z", "y", "x"};
  std::vector<OmeAxis> axes;
  const Json& list = axes_in(multiscale);
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

/// Applies scales and translations, one after the other. Refuses other transformations, which 0.6 has. A
/// scale of 0 leaves the spacing open.
void transform(const Json& transformations, std::vector<OmeAxis>& axes) {
  if (!transformations.is_array()) refuse("has coordinate transformations that are no list; correct them");
  for (const Json& one : transformations) {
    const std::string type = text_in(one, "type");
    if (type == "identity") continue;
    if (type == "sequence") {
      transform(member(one, "transformations"), axes);
      continue;
    }
    const bool is_scale = type == "scale";
    if (!is_scale && type != "translation")
      refuse("has a coordinate transformation " + (type.empty() ? "without a type" : "of type " + type) +
             "; gpuccl reads scale, translation, identity and sequences of them");
    const Json& numbers = member(one, type.c_str());
    if (!numbers.is_array() || numbers.size() != axes.size() ||
        !std::all_of(numbers.begin(), numbers.end(), [&](const Json& number) {
          return number.is_number() && !(is_scale && number.get<double>() < 0);
        }))
      refuse(fmt::format("has a {} that is not a list of {} {}numbers; write one in its metadata", type,
                         axes.size(), is_scale ? "positive " : ""));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto number = numbers[i].get<double>();
      if (is_scale) axes[i].scale *= number;
      axes[i].translation = is_scale ? axes[i].translation * number : axes[i].translation + number;
    }
  }
}

/// Applies the transformations of a multiscale or of one of its datasets, if there are any.
void transform_by(const Json& owner, std::vector<OmeAxis>& axes) {
  const Json& transformations = member(owner, "coordinateTransformations");
  if (!transformations.is_null()) transform(transformations, axes);
}

Geometry geometry_of(const ImageAxes& image, const std::vector<OmeAxis>& axes) {
  Geometry geometry;
  Orientation orientation;
  const std::optional<std::size_t> xyz[] = {image.x, image.y, image.z};
  bool is_counted = axes[image.x].unit.empty();  // elements, not a length
  for (std::size_t i = 0; i < 3; ++i) {
    if (!xyz[i]) continue;
    const OmeAxis& axis = axes[*xyz[i]];
    if (!axis.of_size(1).is_space) continue;  // pages of another axis have no distance
    is_counted = is_counted && axis.scale == 1 && axis.translation == 0;
    geometry.spacing[i] = is_spacing(axis.scale) ? axis.scale : 0;
    orientation.origin[i] = axis.translation;
  }
  if (is_counted) return {};
  geometry.unit = length_unit(axes[image.x].unit);
  for (std::size_t i = 1; i < 3; ++i) {
    const LengthUnit own = xyz[i] ? length_unit(axes[*xyz[i]].unit) : LengthUnit::unknown;
    if (own == LengthUnit::unknown || geometry.unit == LengthUnit::unknown) continue;
    geometry.spacing[i] *= unit_ratio(own, geometry.unit);
    orientation.origin[i] *= unit_ratio(own, geometry.unit);
  }
  orientation.steps = plain_orientation(geometry).steps;
  geometry.orientation = orientation;
  drop_unusable(geometry);
  return geometry;
}

/// Returns OME's metadata in the attributes of a group; since 0.5 they have a member of their own.
const Json& ome_metadata(const Json& attributes) {
  const Json& ome = member(attributes, "ome");
  return ome.is_object() ? ome : attributes;
}

/// Returns the attributes of a group, whose path is "" or ends in "/"; null if there are none.
Json attributes_of(const ZarrStore& store, const std::string& group, std::int64_t memory) {
  if (const auto v3 = read_zarr_json(store, group + kV3, memory)) return member(*v3, "attributes");
  return read_zarr_json(store, group + kV2Attributes, memory).value_or(Json());
}

/// Returns the path of a scale's array: "" or ending in "/".
std::string array_path(const Json& dataset) {
  std::string path = text_in(dataset, "path");
  if (!path.empty() && path.back() != '/') path += '/';
  return path;
}

std::vector<std::string> names_of_channels(const Json& metadata) {
  std::vector<std::string> names;
  for (const Json& channel : member(member(metadata, "omero"), "channels"))
    names.push_back(text_in(channel, "label"));
  return names;
}

/// `attributes`: of a group.
OmeArray multiscale_array(const ZarrStore& store, const Json& attributes, std::int64_t memory) {
  const Json& metadata = ome_metadata(attributes);
  const std::string ome_version = text_in(metadata, "version");
  if (!natural_less(ome_version, "0.7") && ome_version < ":")  // begins with a digit
    refuse("is OME-Zarr " + ome_version + "; gpuccl reads versions up to 0.6, so convert it to 0.6");
  const Json& multiscales = member(metadata, "multiscales");
  if (!multiscales.is_array() || multiscales.empty()) {
    if (member(metadata, "plate").is_object() || member(metadata, "well").is_object())
      refuse(
          "is a plate or well of many images; name one of them, as in plate.zarr/A/1/0 or plate.ozx:/A/1/0; "
          "'gpuccl label' and 'gpuccl measure' read all of them with -o FOLDER/ or --recursive");
    if (!member(metadata, "labels").is_null())
      refuse("is a group of label images; name one of them, as in image.zarr/labels/cells");
    if (!member(metadata, "bioformats2raw.layout").is_null())
      refuse("is a collection of images; name one of them, as in images.zarr/0");
    if (member(metadata, "scene").is_object())
      refuse("is a scene of several images; name one of them, as in scene.zarr/image");
    refuse("is a Zarr group without an OME image; name an array in it, as in group.zarr/array");
  }
  const Json& datasets = member(multiscales[0], "datasets");
  if (!datasets.is_array() || datasets.empty()) refuse("has an OME image without arrays");
  OmeArray found;
  found.path = array_path(datasets[0]);
  found.array = read_array(store, found.path, memory);
  found.axes = axes_of(multiscales[0], found.array.shape.size());
  transform_by(datasets[0], found.axes);
  // Since 0.6 these lead to other coordinate systems.
  if (!member(multiscales[0], "coordinateSystems").is_array()) transform_by(multiscales[0], found.axes);
  found.channels = names_of_channels(metadata);
  return found;
}

/// Finds the array of the largest scale in OME-Zarr 0.1 to 0.6 (Zarr v2 and v3), or an array without OME
/// metadata. The metadata may take `memory` bytes. Throws Error (data, memory, io).
OmeArray find_ome_array(const ZarrStore& store, std::int64_t memory) {
  if (const auto v3 = read_zarr_json(store, kV3, memory)) {
    if (text_in(*v3, "node_type") == "array") return {"", read_array(store, "", memory), {}, {}};
    return multiscale_array(store, member(*v3, "attributes"), memory);
  }
  if (read_zarr_json(store, kV2Array, memory)) return {"", read_array(store, "", memory), {}, {}};
  const auto attributes = read_zarr_json(store, kV2Attributes, memory);
  return multiscale_array(store, attributes ? *attributes : Json(), memory);
}

/// Files of a store, or parts of them.
class ZarrChunks final : public Chunks {
 public:
  ZarrChunks(std::shared_ptr<const ZarrStore> store, std::int64_t memory)
      : store_(std::move(store)), found_(find_ome_array(*store_, memory)) {}

  /// Returns the image that `choice` selects. Throws Error (data).
  ChunkedImage image(const PlaneChoice& choice) const;
  const ChunkGrid& grid() const override { return array_; }
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const override;
  std::int64_t stored_bytes() const override;
  std::int64_t held_bytes() const override;

 private:
  /// A shard that is open, and where its chunks are: offset and bytes of each.
  struct Shard {
    std::string key;
    std::unique_ptr<const InputFile> file;  // null: there is none
    std::vector<std::uint64_t> index;
  };
  struct ChunkRange {
    std::uint64_t offset, bytes;
  };

  void read_range(const std::string& key, const InputFile& file, ChunkRange range,
                  std::vector<std::byte>& stored, std::vector<std::byte>& samples) const;
  std::shared_ptr<const Shard> shard(const std::string& key) const;
  std::shared_ptr<const Shard> open_shard(const std::string& key) const;
  void give_up_shards() const;

  static constexpr std::size_t kShardsAtHand = 64;

  std::shared_ptr<const ZarrStore> store_;
  OmeArray found_;
  const std::string& path_ = found_.path;
  const ZarrArray& array_ = found_.array;
  mutable std::mutex lock_;
  mutable std::deque<std::shared_ptr<const Shard>> shards_;  // those used last
  mutable std::size_t most_at_hand_ = kShardsAtHand;         // fewer where descriptors are few
};

ChunkedImage ZarrChunks::image(const PlaneChoice& choice) const {
  std::vector<NamedAxis> named;
  for (std::size_t i = 0; i < found_.axes.size(); ++i)
    named.push_back(found_.axes[i].of_size(array_.shape[i]));
  if (named.empty()) named = named_axes(array_.shape, array_.axis_names);
  ChunkedImage image{"zarr", choose_axes(named, choice, found_.channels), {}, array_.codecs.checksums()};
  if (!found_.axes.empty()) image.geometry = geometry_of(image.axes, found_.axes);
  image.geometry.zarr_format = array_.is_v3 ? 3 : 2;
  image.geometry.zarr_shards = array_.shards.has_value();
  return image;
}

/// Does `work`; what is wrong in it is wrong with the file `key`.
template <class Work>
auto in_file(const std::string& key, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), reason_about("chunk " + key, error.what()), error.system_code());
  }
}

bool ZarrChunks::read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                      std::vector<std::byte>& samples) const {
  if (!array_.shards) {
    const std::string key = path_ + array_.key(at);
    const auto file = store_->open(key);
    if (file) in_file(key, [&] { read_range(key, *file, {0, file->size()}, stored, samples); });
    return file != nullptr;
  }
  const std::vector<std::uint64_t>& chunks = array_.shards->chunks;
  std::vector<std::uint64_t> of_shard(at.size());
  std::uint64_t inside = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    of_shard[axis] = at[axis] / chunks[axis];
    inside = inside * chunks[axis] + at[axis] % chunks[axis];
  }
  const std::string key = path_ + array_.key(of_shard);
  return in_file(key, [&] {
    const std::shared_ptr<const Shard> found = shard(key);
    if (!found->file) return false;
    const ChunkRange range{found->index[2 * inside], found->index[2 * inside + 1]};
    constexpr std::uint64_t kMissing = std::numeric_limits<std::uint64_t>::max();
    if (range.offset == kMissing && range.bytes == kMissing) return false;
    read_range(key, *found->file, range, stored, samples);
    return true;
  });
}

void ZarrChunks::read_range(const std::string& key, const InputFile& file, ChunkRange range,
                            std::vector<std::byte>& stored, std::vector<std::byte>& samples) const {
  const std::size_t bytes = array_.chunk_bytes();
  const bool is_plain = array_.codecs.empty();
  if (range.bytes > file.size() || range.offset > file.size() - range.bytes)
    throw Error(ErrorCode::data, "is beyond the end of the file, which may be truncated");
  if (range.bytes > array_.codecs.most_stored(bytes))
    throw Error(ErrorCode::data, fmt::format("has {} bytes, more than its shape can take", range.bytes));
  if (is_plain && range.bytes != bytes)
    throw Error(ErrorCode::data, fmt::format("has {} bytes, not {}", range.bytes, bytes));
  samples.resize(bytes);
  std::vector<std::byte>& to = is_plain ? samples : stored;
  to.resize(static_cast<std::size_t>(range.bytes));
  if (file.read_at(range.offset, to.data(), to.size()) != to.size())
    throw Error(ErrorCode::data, "the file is truncated");
  if (to.size() == file.size()) store_->check(key, to);  // a shard is read in parts
  if (!is_plain) array_.codecs.decode(stored, samples);
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), bytes);
}

std::shared_ptr<const ZarrChunks::Shard> ZarrChunks::shard(const std::string& key) const {
  {
    const std::lock_guard lock(lock_);
    for (const auto& known : shards_)
      if (known->key == key) return known;
  }
  std::shared_ptr<const Shard> opened;
  try {
    opened = open_shard(key);
  } catch (const Error& error) {
    if (error.system_code() != EMFILE && error.system_code() != ENFILE) throw;
    give_up_shards();  // the descriptors of those that no other thread reads from
    opened = open_shard(key);
  }
  const std::lock_guard lock(lock_);
  shards_.push_back(opened);
  if (shards_.size() > most_at_hand_) shards_.pop_front();
  return opened;
}

void ZarrChunks::give_up_shards() const {
  const std::lock_guard lock(lock_);
  most_at_hand_ = std::max<std::size_t>(1, shards_.size() / 2);
  shards_.clear();
}

std::shared_ptr<const ZarrChunks::Shard> ZarrChunks::open_shard(const std::string& key) const {
  const auto shard = std::make_shared<Shard>();
  shard->key = key;
  shard->file = store_->open(key);
  if (!shard->file) return shard;
  const ZarrShards& shards = *array_.shards;
  const std::uint64_t bytes = shards.index_bytes(), size = shard->file->size();
  if (size < bytes) throw Error(ErrorCode::data, "is too short for its index");
  std::vector<std::byte> index(static_cast<std::size_t>(bytes));
  if (shard->file->read_at(shards.index_first ? 0 : size - bytes, index.data(), index.size()) != index.size())
    throw Error(ErrorCode::data, "the file is truncated");
  if (shards.index_has_checksum) {
    const std::span<const std::byte> body(index.data(), index.size() - 4);
    std::uint32_t sum = 0;
    std::memcpy(&sum, body.data() + body.size(), 4);
    if (crc32c(body) != sum) throw Error(ErrorCode::data, "its index has a wrong checksum");
  }
  if (shards.index_swapped) swap_bytes(64, index.data(), index.size() / 8 * 8);
  shard->index.resize(static_cast<std::size_t>(shards.count()) * 2);
  std::memcpy(shard->index.data(), index.data(), shard->index.size() * 8);
  return shard;
}

std::int64_t ZarrChunks::stored_bytes() const {
  const std::size_t bytes = array_.chunk_bytes();
  return array_.codecs.empty() ? 0 : static_cast<std::int64_t>(array_.codecs.most_stored(bytes) + bytes);
}

std::int64_t ZarrChunks::held_bytes() const {
  if (!array_.shards) return store_->held_bytes();
  std::uint64_t all = 1;  // the shards there are, as far as they are kept
  const auto& chunks = array_.shards->chunks;
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    const std::uint64_t extent = chunks[axis] * array_.chunk[axis];
    all = std::min<std::uint64_t>(
        kShardsAtHand, all * std::min<std::uint64_t>(kShardsAtHand, 1 + array_.shape[axis] / extent));
  }
  return static_cast<std::int64_t>(all * array_.shards->index_bytes()) + store_->held_bytes();
}

/// Sizes along the axes of space.
Extent extent_of(const ZarrArray& array, const std::vector<OmeAxis>& axes) {
  Extent extent{1, 1, 1};
  int* const sizes[] = {&extent.width, &extent.height, &extent.depth};
  std::size_t count = 0;
  for (std::size_t i = axes.size(); i-- > 0 && count < std::size(sizes);) {
    const std::uint64_t size = array.shape[i];
    if (!axes[i].of_size(size).is_space) continue;
    if (size > std::numeric_limits<int>::max()) refuse("has too large a scale");
    *sizes[count++] = static_cast<int>(size);
  }
  return extent;
}

/// The step from a scale of `before` elements along an axis to the next one of `size`: every so many elements
/// one. Nothing if no integer makes `size` of `before`, rounded up or down.
std::optional<int> step_between(int before, int size) {
  if (size <= 0) return {};
  const int step = std::max(1, static_cast<int>(std::lround(double(before) / size)));
  const bool fits = before / step <= size && size <= (before + std::int64_t{step} - 1) / step;
  return fits ? std::optional(step) : std::nullopt;
}

std::vector<ZarrLevel> levels_of(const ZarrStore& store, const Extent& extent) {
  constexpr std::int64_t kMemory = std::int64_t{64} << 20;
  const Json attributes = attributes_of(store, "", kMemory);
  const Json& multiscales = member(ome_metadata(attributes), "multiscales");
  if (!multiscales.is_array() || multiscales.empty()) return {};
  const Json& datasets = member(multiscales[0], "datasets");
  std::vector<ZarrLevel> levels;
  int last[] = {extent.width, extent.height, extent.depth};  // sizes of the level before
  for (const Json& dataset : datasets) {
    const ZarrArray array = read_array(store, array_path(dataset), kMemory);
    ZarrLevel level{{1, 1, 1}, extent_of(array, axes_of(multiscales[0], array.shape.size()))};
    if (levels.empty() && level.extent != extent) return {};
    const int sizes[] = {level.extent.width, level.extent.height, level.extent.depth};
    for (std::size_t axis = 0; axis < level.steps.size(); ++axis) {
      const std::optional<int> step = step_between(last[axis], sizes[axis]);
      if (!step) return {};
      level.steps[axis] = *step * (levels.empty() ? 1 : levels.back().steps[axis]);
      last[axis] = sizes[axis];
    }
    // A list that repeats a scale could ask for any number of copies of the labels.
    if (!levels.empty() && level.extent == levels.back().extent) return {};
    levels.push_back(level);
  }
  return levels;
}

}  // namespace

std::vector<ZarrLevel> levels_of_image(const std::string& image, const Extent& extent) {
  try {
    return levels_of(ZarrFolder(image), extent);
  } catch (const Error&) {
    return {};  // an image whose smaller scales are damaged can be labeled all the same
  }
}

/// Returns whether a path in a store has folders only below it: no component is empty, "." or "..".
static bool is_inside(const std::string& path) {
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view name = std::string_view(path).substr(start, end - start);
    if (name.empty() || name == "." || name == "..") return false;
    start = end + 1;
  }
  return true;
}

/// Opens a folder, or a zip and maybe a folder in it.
static std::unique_ptr<const ZarrStore> open_store(const std::string& path, bool follow,
                                                   std::int64_t memory) {
  if (is_store(path)) return std::make_unique<const ZarrFolder>(path, follow);
  auto file = std::make_shared<const InputFile>(path, memory);
  const std::string inside = file->inside();
  return std::make_unique<const ZarrZip>(std::move(file), inside, memory);
}

std::string path_in_plate(const std::string& plate, const std::string& image) {
  const InputName name = split_input(plate);
  const bool is_root_of_zip = name.inside.empty() && !is_store(plate);
  return image.empty() ? plate : plate + (is_root_of_zip ? ":/" : plate.ends_with('/') ? "" : "/") + image;
}

std::vector<PlateImage> images_of_plate(const std::string& path, const Limits& limits) {
  if (!is_store(path) && lower_extension(split_input(path).file) != ".ozx") return {};
  constexpr std::int64_t kMemory = std::int64_t{64} << 20;
  std::vector<PlateImage> images;
  const auto inside = [](const Json& listed) {
    std::string name = text_in(listed, "path");
    if (!is_inside(name))
      refuse("lists '" + name + "', which is not a path inside of it; correct its metadata");
    return name;
  };
  const auto attempt = [&](const std::string& place, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      images.push_back({place, error});
    }
  };
  try {
    check_format(kZarrFormat.word, path, limits);
    const std::unique_ptr<const ZarrStore> of_plate = open_store(path, limits.follow, kMemory);
    const ZarrStore& store = *of_plate;
    const auto add_images = [&](const std::string& well, const Json& attributes) {
      for (const Json& image : member(member(ome_metadata(attributes), "well"), "images"))
        attempt(well, [&] {
          const std::string place = (well.empty() ? "" : well + "/") + inside(image);
          attempt(place, [&] {
            store.open(place + "/.zattrs");  // refuses links
            images.push_back({place, {}});
          });
        });
    };
    const Json attributes = attributes_of(store, "", kMemory);
    for (const Json& one : member(member(ome_metadata(attributes), "plate"), "wells"))
      attempt("", [&] {
        const std::string well = inside(one);
        attempt(well, [&] {
          const Json of_well = attributes_of(store, well + "/", kMemory);
          if (!member(member(ome_metadata(of_well), "well"), "images").is_array())
            throw Error(
                ErrorCode::no_input,
                "is a well without a list of images, or is missing; restore it, or remove it from the "
                "metadata of the plate");
          add_images(well, of_well);
        });
      });
    add_images("", attributes);
  } catch (const Error&) {  // whoever opens the store reports what is wrong with it
    images.clear();
  }
  return images;
}

/// `open`: makes the store.
template <class Open>
static std::unique_ptr<SampleSource> open_kept(const std::string& path, const ReadOptions& options,
                                               Open open) {
  auto chunks = KeptInputs::get<ZarrChunks>(
      options.kept, path, [&] { return std::make_shared<ZarrChunks>(open(), memory_limit(options.limits)); });
  const ChunkedImage image = chunks->image(options.planes);
  return open_chunks(std::move(chunks), image, options);
}

std::unique_ptr<SampleSource> open_zarr(const std::string& path, const ReadOptions& options) {
  return open_kept(path, options,
                   [&] { return std::make_shared<const ZarrFolder>(path, options.limits.follow); });
}

static std::unique_ptr<SampleSource> open_zip(std::shared_ptr<const InputFile> file,
                                              const ReadOptions& options) {
  return open_kept(file->path(), options, [&] {
    return std::make_shared<const ZarrZip>(file, file->inside(), memory_limit(options.limits));
  });
}

std::unique_ptr<SampleSource> open_zarr(std::shared_ptr<const ZarrStore> store, const ReadOptions& options) {
  auto chunks = std::make_shared<ZarrChunks>(std::move(store), memory_limit(options.limits));
  const ChunkedImage image = chunks->image(options.planes);
  return open_chunks(std::move(chunks), image, options);
}

const InputFormat kZarrFormat{
    .word = "zarr",
    .title = "OME-Zarr",
    .extensions = {{{".ozx", LabelFormat::ozx, ".ozx"}, {".zarr", LabelFormat::zarr, ".zarr"}}},
    .magic = {{{0, "PK\3\4"}, {0, "PK\5\6"}}},
    .open = open_zip,
    .selects_planes = true,
    .folder = {"zarr.json", ".zarray", ".zgroup", ".zattrs"}};

}  // namespace gpuccl::io
