#include "io/image/chunks.hpp"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "gpuccl/types.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {

std::uint64_t ChunkGrid::chunk_elements() const {
  return std::accumulate(chunk.begin(), chunk.end(), std::uint64_t{1}, std::multiplies<>());
}

void check_chunk(const ChunkGrid& grid) {
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<int>::max();
  for (const std::uint64_t size : grid.chunk)
    if (size == 0) throw Error(ErrorCode::data, "header claims chunks of " + sizes_in_words(grid.chunk));
  if (!product(grid.chunk, kMaxBytes / grid.sample_bytes()))
    throw Error(ErrorCode::data, "header claims chunks of " + sizes_in_words(grid.chunk) + ", 2 GiB or more");
  // Looking for a chunk takes as long as reading so many samples, whether it is there or not.
  constexpr std::uint64_t kWorthLooking = 1024, kMaxTiny = std::uint64_t{1} << 20;
  double chunks = 1;
  for (std::size_t axis = 0; axis < grid.shape.size() && axis < grid.chunk.size(); ++axis)
    chunks *= std::ceil(static_cast<double>(grid.shape[axis]) / static_cast<double>(grid.chunk[axis]));
  if (grid.chunk_elements() < kWorthLooking && chunks > static_cast<double>(kMaxTiny))
    throw Error(ErrorCode::data, "header claims more than " + std::to_string(kMaxTiny) + " chunks of only " +
                                     std::to_string(grid.chunk_elements()) +
                                     " samples each; write it with larger chunks");
}

std::vector<std::size_t> order_of_c(std::size_t axes) {
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& sizes, std::uint64_t most) {
  std::uint64_t all = 1;
  for (const std::uint64_t size : sizes) {
    if (size != 0 && all > most / size) return std::nullopt;
    all *= size;
  }
  return all;
}

std::string sizes_in_words(const std::vector<std::uint64_t>& sizes) {
  std::string words;
  for (const std::uint64_t size : sizes) words += (words.empty() ? "" : "x") + std::to_string(size);
  return words;
}

Chunks::Samples Chunks::read_and_keep(const std::vector<std::uint64_t>& at, std::size_t most,
                                      std::vector<std::byte>& stored) const {
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Kept>& found = kept_[at];
    if (!found) {
      found = std::make_shared<Kept>();
      order_.push_back(at);
    }
    kept = found;
    for (; order_.size() > most; order_.pop_front()) kept_.erase(order_.front());
  }
  const std::lock_guard lock(kept->mutex);
  if (!kept->is_decoded) {
    auto samples = std::make_shared<std::vector<std::byte>>();
    if (read(at, stored, *samples)) kept->samples = std::move(samples);
    kept->is_decoded = true;
  }
  return kept->samples;
}

namespace {

/// One axis of the image in the array.
struct Axis {
  std::size_t of_array = 0;
  std::int64_t size = 1, chunk = 1;
  std::int64_t stride = 0;  // samples from an element of a chunk to the next

  int chunks() const { return static_cast<int>((size + chunk - 1) / chunk); }
};

/// Copies samples that lie `stride` samples apart.
template <class Sample>
void gather(const std::byte* from, std::int64_t stride, std::int64_t count, std::byte* to) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Sample)),
                from + i * stride * static_cast<std::int64_t>(sizeof(Sample)), sizeof(Sample));
}

class ChunkSource final : public SampleSource {
 public:
  ChunkSource(std::shared_ptr<const Chunks> chunks, const ChunkedImage& image, const ReadOptions& options)
      : memory_(memory_limit(options.limits)), chunks_(std::move(chunks)) {
    const std::vector<std::uint64_t>& shape = chunks_->grid().shape;
    const ImageAxes& axes = image.axes;
    const std::uint64_t depth = axes.z ? shape[*axes.z] : 1;
    check_page_size(shape[axes.x], shape[axes.y], options.limits);
    const int slices = checked_slices(static_cast<double>(depth), options.limits);
    x_ = axis_of(axes.x);
    y_ = axis_of(axes.y);
    if (axes.z) z_ = axis_of(*axes.z);
    has_z_ = axes.z.has_value();
    describe(image.format_name, {static_cast<int>(x_.size), static_cast<int>(y_.size), slices},
             chunks_->grid().format);
    info_.checksums = image.checksums;
    info_.geometry = image.geometry;
    info_.geometry.has_slice_axis = image.axes.z.has_value();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Axis of = axis_of(axis);
      const auto at = static_cast<std::int64_t>(axes.at[axis]);
      place_.push_back(static_cast<std::uint64_t>(at / of.chunk));
      first_ += at % of.chunk * of.stride;
    }
    check_memory(info_.extent, buffer_bytes() + held_bytes(), options);
    if (options.kept && has_other_images(axes)) {
      const std::int64_t most =
          memory_ / kShareOfKept / static_cast<std::int64_t>(chunks_->grid().chunk_bytes());
      const std::int64_t of_slice = std::int64_t{x_.chunks()} * y_.chunks(), all = of_slice * z_.chunks();
      kept_ = all <= most ? all : of_slice <= most ? of_slice : 0;
      if (!options.kept_is_counted)
        kept_bytes_ = kept_ * static_cast<std::int64_t>(chunks_->grid().chunk_bytes());
    }
  }

  std::int64_t held_bytes() const override { return chunks_->held_bytes() + kept_bytes_; }
  int group_depth() const override { return static_cast<int>(std::min(z_.chunk, z_.size)); }

  std::int64_t buffer_bytes() const override {
    constexpr std::int64_t kOfAllocation = 32;  // in addition to its bytes
    return x_.chunks() * (static_cast<std::int64_t>(chunks_->grid().chunk_bytes() + sizeof(Strip::Chunk)) +
                          kOfAllocation) +
           chunks_->stored_bytes() + rows_at_once() * row_bytes();
  }

  void decode_from_top(int z, const Sink& sink) const override {
    Strip strip;
    for (int i = 0; i < y_.chunks(); ++i)
      decode_strip(i, z, z + 1, strip, [&](int, const SampleRows& rows) { sink(rows); });
  }
  void decode(int z, const Sink& sink) const override {
    decode_group(z, z + 1, [&](int, const SampleRows& rows) { sink(rows); });
  }
  void decode_group(int z0, int z1, const GroupSink& sink) const override {
    oneapi::tbb::enumerable_thread_specific<Strip> strips;
    for_each_part(y_.chunks(), buffer_bytes(), memory_,
                  [&](int i) { decode_strip(i, z0, z1, strips.local(), sink); });
  }

 private:
  struct Strip {
    struct Chunk {
      const std::byte* samples = nullptr;  // null: there is no such chunk
      std::vector<std::byte> own;
      Chunks::Samples kept;
    };
    std::vector<Chunk> chunks;
    std::vector<std::byte> stored, rows;
  };

  static constexpr std::int64_t kShareOfKept = 16;  // of the memory, at most

  /// Returns whether chunks contain samples of other images, such as the next time point.
  bool has_other_images(const ImageAxes& axes) const {
    const ChunkGrid& grid = chunks_->grid();
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis)
      if (axis != axes.x && axis != axes.y && axis != axes.z &&
          std::min(grid.chunk[axis], grid.shape[axis]) > 1)
        return true;
    return false;
  }

  Axis axis_of(std::size_t of_array) const {
    const ChunkGrid& grid = chunks_->grid();
    Axis axis{of_array, static_cast<std::int64_t>(grid.shape[of_array]),
              static_cast<std::int64_t>(grid.chunk[of_array]), 1};
    for (auto inner = grid.order.rbegin(); *inner != of_array; ++inner)
      axis.stride *= static_cast<std::int64_t>(grid.chunk[*inner]);
    return axis;
  }

  std::int64_t row_bytes() const { return format_.row_bytes(x_.size); }
  std::int64_t rows_at_once() const {
    constexpr std::int64_t kBytes = 1 << 15;
    return std::clamp<std::int64_t>(kBytes / row_bytes(), 1, y_.chunk);
  }

  /// Decodes the rows of slices [z0, z1), which are of one group, that lie in row `i` of chunks. They are put
  /// together from the chunks a few at a time, so that they stay in the cache.
  void decode_strip(int i, int z0, int z1, Strip& strip, const GroupSink& sink) const {
    const std::int64_t y0 = i * y_.chunk, height = std::min(y_.chunk, y_.size - y0);
    std::vector<std::uint64_t> at = place_;
    at[y_.of_array] = static_cast<std::uint64_t>(i);
    if (has_z_) at[z_.of_array] = static_cast<std::uint64_t>(z0 / z_.chunk);
    strip.chunks.resize(static_cast<std::size_t>(x_.chunks()));
    for (std::size_t k = 0; k < strip.chunks.size(); ++k) {
      at[x_.of_array] = k;
      read_chunk(at, strip.stored, strip.chunks[k]);
    }
    const std::int64_t batch = rows_at_once();
    strip.rows.resize(static_cast<std::size_t>(batch * row_bytes()));
    for (int z = z0; z < z1; ++z)
      for (std::int64_t y = 0; y < height; y += batch) {
        const std::int64_t count = std::min(batch, height - y);
        for (std::int64_t row = 0; row < count; ++row)
          put_together(strip, z % z_.chunk, y + row, strip.rows.data() + row * row_bytes());
        sink(z, {format_, static_cast<int>(y0 + y), static_cast<int>(count), strip.rows.data(),
                 static_cast<std::size_t>(row_bytes())});
      }
  }

  void read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                  Strip::Chunk& chunk) const {
    if (kept_ == 0) {
      chunk.samples = chunks_->read(at, stored, chunk.own) ? chunk.own.data() : nullptr;
    } else {
      chunk.kept = chunks_->read_and_keep(at, static_cast<std::size_t>(kept_), stored);
      chunk.samples = chunk.kept ? chunk.kept->data() : nullptr;
    }
  }

  void put_together(const Strip& strip, std::int64_t z, std::int64_t y, std::byte* row) const {
    for (int k = 0; k < x_.chunks(); ++k) {
      const Strip::Chunk& chunk = strip.chunks[static_cast<std::size_t>(k)];
      chunk.samples != nullptr ? copy_row(chunk.samples, z, y, k, row) : fill_row(k, row);
    }
  }

  /// Returns the width of chunk `k` from the left within the image.
  std::int64_t width_of(int k) const { return std::min(x_.chunk, x_.size - k * x_.chunk); }

  void copy_row(const std::byte* chunk, std::int64_t z, std::int64_t y, int k, std::byte* row) const {
    const std::int64_t bytes = format_.bits / 8, width = width_of(k);
    const std::byte* from = chunk + (first_ + z * z_.stride + y * y_.stride) * bytes;
    std::byte* to = row + k * x_.chunk * bytes;
    if (x_.stride == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(width * bytes));
      return;
    }
    if (bytes == 1) return gather<std::uint8_t>(from, x_.stride, width, to);
    if (bytes == 2) return gather<std::uint16_t>(from, x_.stride, width, to);
    if (bytes == 4) return gather<std::uint32_t>(from, x_.stride, width, to);
    gather<std::uint64_t>(from, x_.stride, width, to);
  }

  void fill_row(int k, std::byte* row) const {
    const std::vector<std::byte>& fill = chunks_->grid().fill;
    std::byte* to = row + k * x_.chunk * static_cast<std::int64_t>(fill.size());
    for (std::int64_t x = 0; x < width_of(k); ++x, to += fill.size())
      std::memcpy(to, fill.data(), fill.size());
  }

  std::int64_t memory_;
  std::shared_ptr<const Chunks> chunks_;
  Axis x_, y_, z_;
  bool has_z_ = false;
  std::int64_t kept_ = 0, kept_bytes_ = 0;  // chunks that are kept for other images
  // Along the axes that are none of these: which chunk, and which sample of it is the first.
  std::vector<std::uint64_t> place_;
  std::int64_t first_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_chunks(std::shared_ptr<const Chunks> chunks, const ChunkedImage& image,
                                          const ReadOptions& options) {
  return std::make_unique<ChunkSource>(std::move(chunks), image, options);
}

}  // namespace gpuccl::io
