#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/input_file.hpp"
#include "io/files/json.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/image/chunks.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"

namespace gpuccl::io {
namespace {

/// Samples of a dataset; thread-safe. Chunks are decoded here: libhdf5 1.10 takes truncated ones for whole.
class Hdf5Chunks final : public Chunks {
 public:
  /// Opens the dataset. `memory`: as for Hdf5Connection. If it is read for several images, a failure for one
  /// does not end reading for the others.
  Hdf5Chunks(std::shared_ptr<const InputFile> file, std::int64_t memory, bool is_for_several);

  /// Returns the image that `choice` selects. Throws Error (data).
  ChunkedImage image(const PlaneChoice& choice) const;
  const ChunkGrid& grid() const override { return array_; }
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const override;
  std::int64_t stored_bytes() const override;

 private:
  bool read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                  std::vector<std::byte>& samples) const;
  bool read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const;
  Hdf5Message connect() const;
  Hdf5Place find(const std::vector<std::uint64_t>& at) const;

  const std::shared_ptr<const InputFile> file_;
  const std::uint64_t file_bytes_ = file_->size();
  const std::int64_t memory_;
  const bool is_for_several_;
  Hdf5Array array_;
  std::vector<double> resolutions_;  // of the axes, by axistags
  mutable std::mutex mutex_;         // of what follows
  mutable std::unique_ptr<Hdf5Connection> connection_;
  mutable std::vector<std::uint64_t> failed_at_;  // chunk for which the connection has failed
  mutable std::map<std::vector<std::uint64_t>, Hdf5Place> places_;  // cache
};

bool Hdf5Chunks::read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                      std::vector<std::byte>& samples) const {
  samples.resize(array_.chunk_bytes());
  if (!array_.is_chunked) return read_piece(at, samples);
  try {
    return read_chunk(at, stored, samples);
  } catch (const Error& error) {
    std::string where;
    for (const std::uint64_t place : at) where += (where.empty() ? "" : ".") + std::to_string(place);
    throw Error(error.code(), reason_about("chunk " + where, error.what()));
  }
}

bool Hdf5Chunks::read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                            std::vector<std::byte>& samples) const {
  const Hdf5Place place = find(at);
  if (place.is_stored == 0) return false;
  if (place.bytes > array_.filters.most_stored(samples.size())) Hdf5Message::refuse();
  stored.resize(static_cast<std::size_t>(place.bytes));
  if (place.offset > file_bytes_ ||
      file_->read_at(place.offset, stored.data(), stored.size()) != stored.size())
    throw Error(ErrorCode::data, "the file is truncated");
  array_.filters.decode(stored, place.skipped, samples);
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), samples.size());
  return true;
}

/// Returns the place of a chunk, and keeps those of the chunks after it, which the answer contains too.
Hdf5Place Hdf5Chunks::find(const std::vector<std::uint64_t>& at) const {
  constexpr std::size_t kMaxKept = 1 << 13;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto known = places_.find(at); known != places_.end()) return known->second;
  Hdf5Message request(Hdf5Word::find);
  request.put_list(at);
  if (is_for_several_ && !failed_at_.empty() && failed_at_.front() != at.front()) connect();
  Hdf5Message answer;
  try {
    answer = connection_->ask(request);
  } catch (...) {
    if (failed_at_.empty() && connection_->has_failed()) failed_at_ = at;
    throw;
  }
  const auto places = answer.take_list<std::vector<Hdf5Place>>();
  if (places.empty() || places.size() > kPlacesAtOnce || !answer.is_taken()) Hdf5Message::refuse();
  if (places_.size() > kMaxKept) places_.clear();
  std::vector<std::uint64_t> next = at;
  for (const Hdf5Place& place : places) {
    places_[next] = place;
    if (!to_next_chunk(array_, next)) break;
  }
  return places.front();
}

/// Reads from contiguous samples: a piece is a range along one axis, and all of the axes after it.
bool Hdf5Chunks::read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const {
  if (!array_.offset && array_.compact.empty()) return false;
  std::uint64_t first = 0, count = 1;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const std::uint64_t begin = at[axis] * array_.chunk[axis];
    first = first * array_.shape[axis] + begin;
    count *= std::min(array_.chunk[axis], array_.shape[axis] - begin);
  }
  const auto bytes = static_cast<std::size_t>(count) * array_.sample_bytes();
  first *= array_.sample_bytes();
  if (!array_.compact.empty())
    std::copy_n(array_.compact.begin() + static_cast<std::ptrdiff_t>(first), bytes, samples.begin());
  else if (file_->read_at(*array_.offset + first, samples.data(), bytes) != bytes)
    throw Error(ErrorCode::data, "the file is truncated");
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), bytes);
  return true;
}

std::int64_t Hdf5Chunks::stored_bytes() const {
  if (!array_.is_chunked) return 0;
  const std::size_t most = array_.filters.most_stored(array_.chunk_bytes());
  return static_cast<std::int64_t>(array_.filters.empty() ? most : most + 2 * array_.chunk_bytes());
}

using Json = nlohmann::json;

/// Names the axes of `array` by its axistags, and returns their resolutions; none without tags for all axes.
std::vector<double> apply_axistags(Hdf5Array& array) {
  constexpr int kDeepest = 16;
  const Json json = parse_json(array.axistags, kDeepest);
  if (!json.is_object() || !json.contains("axes")) return {};
  const Json& list = json["axes"];
  if (!list.is_array() || list.size() != array.shape.size()) return {};
  std::vector<std::string> names;
  std::vector<double> resolutions;
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("key") || !one["key"].is_string()) return {};
    names.push_back(one["key"].get<std::string>());
    const bool has_resolution = one.contains("resolution") && one["resolution"].is_number();
    resolutions.push_back(has_resolution ? one["resolution"].get<double>() : 0);
  }
  array.axis_names = std::move(names);
  return resolutions;
}

/// Returns the spacing by element_size_um: z, y, x. Two numbers, y and x, are valid for images only.
Geometry geometry_of(std::vector<double> sizes, const ImageAxes& axes,
                     const std::vector<double>& resolutions) {
  Geometry geometry;
  if (sizes.size() != 3 && (sizes.size() != 2 || axes.z)) sizes.clear();
  const std::optional<std::size_t> xyz[] = {axes.x, axes.y, axes.z};
  for (std::size_t i = 0; i < 3; ++i) {
    double size = 0;
    if (!sizes.empty())
      size = i < sizes.size() ? sizes[sizes.size() - 1 - i] : 0;
    else if (!resolutions.empty() && xyz[i])
      size = resolutions[*xyz[i]];
    geometry.spacing[i] = is_spacing(size) ? size : 0;
  }
  if (!geometry.is_known()) return {};
  if (!sizes.empty()) geometry.unit = LengthUnit::um;
  return geometry;
}

Hdf5Chunks::Hdf5Chunks(std::shared_ptr<const InputFile> file, std::int64_t memory, bool is_for_several)
    : file_(std::move(file)), memory_(memory), is_for_several_(is_for_several) {
  Hdf5Message answer = connect();
  array_ = take_hdf5_array(answer, file_bytes_);
  apply_cf(array_.cf, array_.format);
  resolutions_ = apply_axistags(array_);
}

/// Starts a process that opens the dataset, and returns its answer.
Hdf5Message Hdf5Chunks::connect() const {
  auto connection = std::make_unique<Hdf5Connection>(file_, memory_);
  Hdf5Message request(Hdf5Word::open);
  request.put(file_bytes_);
  request.put_list(file_->inside());
  Hdf5Message answer = connection->ask(request);
  connection_ = std::move(connection);
  failed_at_.clear();
  return answer;
}

/// Finds the axes of the image by the axistags or dimension scales of the dataset, and their spacing by
/// element_size_um, axistags or coordinates.
ChunkedImage Hdf5Chunks::image(const PlaneChoice& choice) const {
  {
    const std::lock_guard lock(mutex_);
    if (connection_->has_failed()) connect();
  }
  ChunkedImage image;
  image.format_name = "hdf5";
  image.axes = choose_axes(named_axes(array_.shape, array_.axis_names), choice);
  image.geometry = geometry_of(array_.sizes, image.axes, resolutions_);
  const std::optional<std::size_t> xyz[] = {image.axes.x, image.axes.y, image.axes.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!xyz[i] || array_.scales.empty()) continue;
    Coordinates& along = image.geometry.coordinates[i] = array_.scales[*xyz[i]];
    if (along.unit.starts_with("degree")) along.unit = "degree";  // "degrees_east", "degree_E"
  }
  set_spacing_by_coordinates(image.geometry);
  image.checksums = array_.filters.checksums();
  return image;
}

}  // namespace

std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  auto chunks = KeptInputs::get<Hdf5Chunks>(options.kept, file->path() + " " + file->inside(), [&] {
    return std::make_shared<Hdf5Chunks>(file, memory_limit(options.limits), options.kept != nullptr);
  });
  const ChunkedImage image = chunks->image(options.planes);
  return open_chunks(std::move(chunks), image, options);
}

}  // namespace gpuccl::io
