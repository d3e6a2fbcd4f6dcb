#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/files/descriptor.hpp"
#include "io/image/chunk_codecs.hpp"
#include "io/image/formats.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_label_metadata.hpp"
#include "io/zarr/zarr_zip.hpp"

namespace gpuccl::io {
namespace {

using Bytes = std::vector<std::byte>;

void make_folder(int folder, const std::string& name) {
  if (::mkdirat(folder, name.c_str(), 0777) != 0 && errno != EEXIST)
    throw system_error(ErrorCode::io, "cannot create a folder for chunks", errno);
}

Descriptor create_file(int folder, const std::string& name) {
  Descriptor file;
  do {
    file = Descriptor(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  } while (!file && errno == EINTR);
  if (!file) throw system_error(ErrorCode::io, "cannot create a chunk", errno);
  return file;
}

void write_file(int folder, const std::string& name,
                std::initializer_list<std::span<const std::byte>> parts) {
  Descriptor file = create_file(folder, name);
  for (const std::span<const std::byte> part : parts) write_all(file.get(), part.data(), part.size());
  if (!file.close()) throw system_error(ErrorCode::io, "cannot write", errno);
}

/// Cuts rows into columns, from left to right.
class RowCutter {
 public:
  void start(const LabelRuns& rows) {
    rows_ = &rows;
    next_.assign(1, 0);
    next_.insert(next_.end(), rows.ends.begin(), rows.ends.end());
  }
  /// Appends the part in columns [begin, end), and empty rows up to `height`.
  void cut(int begin, int end, int height, LabelRuns& out) {
    const std::size_t rows = out.ends.size() + static_cast<std::size_t>(height);
    for (std::size_t row = 0; row < rows_->ends.size(); ++row) {
      for (std::size_t& next = next_[row]; next < rows_->ends[row] && rows_->runs[next].begin < end; ++next) {
        const LabelRun& run = rows_->runs[next];
        out.runs.push_back({std::max(run.begin, begin) - begin, std::min(run.end, end) - begin, run.label});
        if (run.end > end) break;
      }
      out.ends.push_back(out.runs.size());
    }
    out.ends.resize(rows, out.runs.size());
  }

 private:
  const LabelRuns* rows_ = nullptr;
  std::vector<std::size_t> next_;  // of each row, the run that the next column begins with
};

/// Returns the folder of the chunks of a strip, in the folder of their level.
std::string row_of(const ZarrLabelLayout& layout, bool in_3d, std::int64_t strip) {
  const StripLayout& strips = layout.strips;
  const std::string row = std::to_string(strips.index_in_slice(strip));
  return in_3d ? std::to_string(strip / strips.strips_per_slice) + "/" + row : row;
}

/// Folder of the chunks of a level.
class ChunkFolder {
 public:
  /// Makes and opens it in `folder` of the image. Several processes may do so at the same time.
  ChunkFolder(const ZarrLabelLayout& layout, const ZarrLabelHeader& header, std::size_t level, int folder)
      : layout_(layout), in_3d_(header.levels.front().extent.depth > 1), has_shards_(header.shards) {
    std::string name = std::to_string(level);
    make_folder(folder, name);
    if (header.version == 3) make_folder(folder, name += "/c");
    folder_ = Descriptor(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) throw system_error(ErrorCode::io, "cannot open the folder of chunks", errno);
  }

  void begin_strip(std::int64_t strip) {
    const StripLayout& strips = layout_.strips;
    row_ = row_of(layout_, in_3d_, strip);
    has_row_ = false;
    if (in_3d_) make_folder(folder_.get(), std::to_string(strip / strips.strips_per_slice));
  }
  /// Writes a chunk of the strip in this column.
  void add(std::uint64_t column, std::initializer_list<std::span<const std::byte>> parts) {
    if (!has_row_) make_folder(folder_.get(), row_);
    has_row_ = true;
    if (!has_shards_) return write_file(folder_.get(), row_ + "/" + std::to_string(column), parts);
    if (!shard_) {
      shard_ = create_file(folder_.get(), row_ + "/0");
      index_.assign(2 * static_cast<std::size_t>(layout_.columns), kNoChunk);
      shard_bytes_ = 0;
    }
    index_[2 * column] = shard_bytes_;
    for (const std::span<const std::byte> part : parts) {
      write_all(shard_.get(), part.data(), part.size());
      shard_bytes_ += part.size();
    }
    index_[2 * column + 1] = shard_bytes_ - index_[2 * column];
  }
  /// Completes the shard of the strip, if it has one.
  void end_strip() {
    if (!shard_) return;
    const auto index = std::as_bytes(std::span(index_));
    const std::uint32_t sum = crc32c(index);
    write_all(shard_.get(), index.data(), index.size());
    write_all(shard_.get(), &sum, sizeof sum);
    if (!shard_.close()) throw system_error(ErrorCode::io, "cannot write", errno);
    shard_ = Descriptor();
  }
  /// Reads a chunk; returns false for a chunk of background, which is not stored.
  bool read(std::int64_t strip, std::int64_t column, std::vector<std::byte>& stored) const {
    const std::string name = row_of(layout_, in_3d_, strip) + "/" + std::to_string(has_shards_ ? 0 : column);
    const Descriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file && errno == ENOENT) return false;
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0)
      throw system_error(ErrorCode::io, "cannot read a chunk", errno);
    std::uint64_t place[2] = {0, static_cast<std::uint64_t>(status.st_size)};  // first byte, and number
    const auto read = [&](void* to, std::size_t bytes, std::uint64_t at) {
      if (read_all_at(file.get(), to, bytes, at) != bytes) throw Error(ErrorCode::io, "cannot read a chunk");
    };
    if (has_shards_) {
      const std::uint64_t index =
          sizeof(std::uint32_t) + sizeof place * static_cast<std::uint64_t>(layout_.columns);
      read(place, sizeof place, place[1] - index + sizeof place * static_cast<std::uint64_t>(column));
      if (place[0] == kNoChunk) return false;
    }
    stored.resize(place[1]);
    read(stored.data(), stored.size(), place[0]);
    return true;
  }

 private:
  static constexpr std::uint64_t kNoChunk = ~std::uint64_t{0};

  const ZarrLabelLayout& layout_;
  bool in_3d_, has_shards_;
  Descriptor folder_, shard_;
  std::vector<std::uint64_t> index_;  // of the shard: first byte and number of bytes of each chunk
  std::uint64_t shard_bytes_ = 0;
  std::string row_;
  bool has_row_ = false;  // the folder of the strip is made
};

/// Header of a chunk in strips that wait to be written into a folder.
struct ChunkRecord {
  std::uint64_t column = 0, bytes = 0;
};

enum class ChunkTarget { folder, records, zip };

/// Encodes chunks for one thread.
class ChunkEncoder final : public StripEncoder {
 public:
  /// For a target other than a folder, chunks are returned, each after a record, or as a file of a zip.
  ChunkEncoder(const ZarrLabelLayout& layout, const ZarrLabelHeader& header, const MappedLabels& labels,
               ChunkTarget target, int folder = -1)
      : layout_(layout),
        target_(target),
        in_3d_(header.levels.front().extent.depth > 1),
        type_(header.options.type),
        how_(zarr_compression(header.options, header.version)),
        is_from_runs_(how_.is_deflate() && header.options.level == 0 && bits_per_sample(type_) <= 32),
        labels_(labels),
        from_runs_({.width = layout.width, .sample_bytes = bits_per_sample(type_) / 8}),
        from_samples_(how_, bits_per_sample(type_) / 8),
        slices_(static_cast<std::size_t>(layout.depth)) {
    if (target == ChunkTarget::folder) folder_.emplace(layout, header, 0, folder);
  }

  EncodedStrip encode(std::int64_t strip) override {
    const StripLayout& strips = layout_.strips;
    records_.clear();
    row_ = "0/c/" + row_of(layout_, in_3d_, strip) + "/";
    if (folder_) folder_->begin_strip(strip);
    if (!take_slices(strip)) return {};
    for (std::int64_t column = 0; column < layout_.columns; ++column) {
      const auto begin = static_cast<int>(column * layout_.width);
      const auto end = std::min<std::int64_t>(std::int64_t{begin} + layout_.width, strips.extent.width);
      chunk_.runs.clear();
      chunk_.ends.clear();
      for (Slice& slice : slices_) slice.cutter.cut(begin, static_cast<int>(end), layout_.height, chunk_);
      if (!chunk_.runs.empty()) encode_chunk(static_cast<std::uint64_t>(column));
    }
    if (folder_) folder_->end_strip();
    return {records_};
  }

 private:
  struct Slice {
    LabelRuns rows;
    RowCutter cutter;
  };

  /// Takes the rows of a strip in each of its slices; returns false if all are background.
  bool take_slices(std::int64_t strip) {
    const StripLayout& strips = layout_.strips;
    bool any = false;
    for (std::int64_t i = 0; i < layout_.depth; ++i) {
      Slice& slice = slices_[static_cast<std::size_t>(i)];
      slice.rows.runs.clear();
      slice.rows.ends.clear();
      if (i < strips.slices(strip)) {
        const std::int64_t first = strips.first_row(strip) + i * strips.extent.height;
        list_runs(labels_, first, strips.rows_in_slice(strip), slice.rows);
      }
      any = any || !slice.rows.runs.empty();
      slice.cutter.start(slice.rows);
    }
    return any;
  }

  void encode_chunk(std::uint64_t column) {
    const bool is_gzip = how_.codec == ChunkCodec::gzip;
    if (is_from_runs_ && from_runs_.pays(chunk_.runs.size(), std::int64_t{layout_.height} * layout_.depth)) {
      from_runs_.clear();
      from_runs_.add(chunk_);
      if (!is_gzip) return put(column, {from_runs_.stream()});
      draw();
      const Bytes begin = gzip_begin({});
      const Bytes end = gzip_end(libdeflate_crc32(0, samples_.data(), samples_.size()), samples_.size());
      return put(column, {begin, from_runs_.blocks(), end});
    }
    draw();
    put(column, {from_samples_.compress(samples_)});
  }

  void put(std::uint64_t column, std::initializer_list<std::span<const std::byte>> parts) {
    if (folder_) return folder_->add(column, parts);
    if (target_ == ChunkTarget::zip) return add_to_zip(records_, row_ + std::to_string(column), parts);
    ChunkRecord record{column, 0};
    for (const std::span<const std::byte> part : parts) record.bytes += part.size();
    const auto bytes = std::as_bytes(std::span(&record, 1));
    records_.insert(records_.end(), bytes.begin(), bytes.end());
    for (const std::span<const std::byte> part : parts)
      records_.insert(records_.end(), part.begin(), part.end());
  }

  /// Draws the runs of the chunk as samples.
  void draw() {
    const auto bytes = static_cast<std::size_t>(bits_per_sample(type_)) / 8;
    samples_.assign(static_cast<std::size_t>(layout_.chunk_samples()) * bytes, std::byte{});
    if (bytes == 1) return draw_as<std::uint8_t>();
    if (bytes == 2) return draw_as<std::uint16_t>();
    if (bytes == 4) return draw_as<std::uint32_t>();
    draw_as<std::uint64_t>();
  }
  template <class Sample>
  Sample sample_of(Label label) const {
    if constexpr (sizeof(Sample) > sizeof(Label))
      return labels_.wide[label];
    else
      return static_cast<Sample>(label);
  }
  template <class Sample>
  void draw_as() {
    auto* row = reinterpret_cast<Sample*>(samples_.data());
    std::size_t run = 0;
    for (const std::size_t end : chunk_.ends) {
      for (; run < end; ++run)
        std::fill(row + chunk_.runs[run].begin, row + chunk_.runs[run].end,
                  sample_of<Sample>(chunk_.runs[run].label));
      row += layout_.width;
    }
  }

  const ZarrLabelLayout& layout_;
  ChunkTarget target_;
  bool in_3d_;
  std::string row_;  // of the chunks of the strip, in a zip
  LabelType type_;
  ChunkCompression how_;
  bool is_from_runs_;  // if that pays
  const MappedLabels labels_;
  std::optional<ChunkFolder> folder_;
  RunDeflater from_runs_;
  ChunkCompressor from_samples_;
  std::vector<Slice> slices_;
  LabelRuns chunk_;
  Bytes samples_, records_;
};

/// Maker of a level of a pyramid from the level before it. Requires that all chunks of that level are in the
/// folder, so its bytes do not depend on the number of processes.
class LevelMaker {
 public:
  LevelMaker(const ZarrLabelHeader& header, std::size_t level, int folder)
      : header_(header),
        level_(level),
        folder_(folder),
        from_(header.levels[level - 1].extent, header.options),
        to_(header.levels[level].extent, header.options),
        how_(zarr_compression(header.options, header.version)),
        bytes_(bits_per_sample(header.options.type) / 8) {
    for (std::size_t axis = 0; axis < steps_.size(); ++axis)
      steps_[axis] = header.levels[level].steps[axis] / header.levels[level - 1].steps[axis];
  }

  void run() const {
    for_each_strip<std::unique_ptr<Worker>>(
        to_.strips.count(),
        [this](std::unique_ptr<Worker>& worker, std::int64_t strip) {
          if (!worker) worker = std::make_unique<Worker>(*this);
          make(*worker, strip);
        },
        [](const std::unique_ptr<Worker>&, std::int64_t) {}, to_.strips.at_once);
  }

 private:
  /// Buffers of one thread.
  struct Worker {
    explicit Worker(const LevelMaker& maker)
        : from(maker.from_, maker.header_, maker.level_ - 1, maker.folder_),
          to(maker.to_, maker.header_, maker.level_, maker.folder_),
          compressor(maker.how_, maker.bytes_) {}

    ChunkFolder from, to;
    ChunkCompressor compressor;
    Bytes stored, samples, made;
  };

  /// Elements of a chunk along an axis whose samples are in one chunk of the level before.
  struct Part {
    int chunk_begin;  // first element of the chunk
    int begin, end;
    int from_begin;  // first element of the chunk of the level before
  };

  /// Returns the parts of chunk `i` along an axis. `chunk`, `from_chunk`: elements of a chunk.
  static std::vector<Part> parts_of(std::int64_t i, int chunk, int from_chunk, int step, int extent) {
    std::vector<Part> parts;
    const auto first = static_cast<int>(i * chunk);
    const int last = static_cast<int>(std::min<std::int64_t>(std::int64_t{first} + chunk, extent));
    for (int at = first; at < last;) {
      const int from = at * step / from_chunk * from_chunk;
      const auto next = static_cast<int>((std::int64_t{from} + from_chunk + step - 1) / step);
      parts.push_back({first, at, std::min(next, last), from});
      at = parts.back().end;
    }
    return parts;
  }

  void make(Worker& worker, std::int64_t strip) const {
    const std::int64_t layer = strip / to_.strips.strips_per_slice;
    const std::int64_t row = to_.strips.index_in_slice(strip);
    const Extent& extent = to_.strips.extent;
    worker.to.begin_strip(strip);
    const auto planes = parts_of(layer, to_.depth, from_.depth, steps_[2], extent.depth);
    const auto rows = parts_of(row, to_.height, from_.height, steps_[1], extent.height);
    for (std::int64_t column = 0; column < to_.columns; ++column) {
      worker.made.assign(static_cast<std::size_t>(to_.chunk_samples() * bytes_), std::byte{});
      bool any = false;
      for (const Part& z : planes)
        for (const Part& y : rows)
          for (const Part& x : parts_of(column, to_.width, from_.width, steps_[0], extent.width))
            any = take(worker, z, y, x) || any;
      if (any) worker.to.add(static_cast<std::uint64_t>(column), {worker.compressor.compress(worker.made)});
    }
    worker.to.end_strip();
  }

  /// Takes samples from a chunk of the level before; returns false if all are background.
  bool take(Worker& worker, const Part& z, const Part& y, const Part& x) const {
    const std::int64_t strip =
        z.from_begin / from_.depth * from_.strips.strips_per_slice + y.from_begin / from_.height;
    if (!worker.from.read(strip, x.from_begin / from_.width, worker.stored)) return false;
    worker.samples.resize(static_cast<std::size_t>(from_.chunk_samples() * bytes_));
    if (!how_.codec ? worker.stored.size() != worker.samples.size()
                    : !decompress(*how_.codec, worker.stored, worker.samples))
      throw Error(ErrorCode::io, "a chunk was changed while its pyramid was made");
    if (!how_.codec) worker.samples.swap(worker.stored);
    if (bytes_ == 1) return pick<std::uint8_t>(worker, z, y, x);
    if (bytes_ == 2) return pick<std::uint16_t>(worker, z, y, x);
    if (bytes_ == 4) return pick<std::uint32_t>(worker, z, y, x);
    return pick<std::uint64_t>(worker, z, y, x);
  }
  template <class Sample>
  bool pick(Worker& worker, const Part& along_z, const Part& along_y, const Part& along_x) const {
    const auto* const from = reinterpret_cast<const Sample*>(worker.samples.data());
    auto* const to = reinterpret_cast<Sample*>(worker.made.data());
    Sample any = 0;
    for (std::int64_t z = along_z.begin; z < along_z.end; ++z)
      for (std::int64_t y = along_y.begin; y < along_y.end; ++y) {
        const Sample* const source = from + ((z * steps_[2] - along_z.from_begin) * from_.height +
                                             y * steps_[1] - along_y.from_begin) *
                                                from_.width;
        Sample* const row =
            to + ((z - along_z.chunk_begin) * to_.height + y - along_y.chunk_begin) * to_.width;
        for (std::int64_t x = along_x.begin; x < along_x.end; ++x)
          any |= row[x - along_x.chunk_begin] = source[x * steps_[0] - along_x.from_begin];
      }
    return any != 0;
  }

  const ZarrLabelHeader& header_;
  std::size_t level_;
  int folder_;
  ZarrLabelLayout from_, to_;
  ChunkCompression how_;
  int bytes_;
  std::array<int, 3> steps_{};
};

/// The documents, and chunks as files of their own.
class ZarrFile final : public StripFile {
 public:
  ZarrFile(const ZarrLabelLayout& layout, ZarrLabelHeader header)
      : StripFile(layout.strips, StripPlacement::own_files), layout_(layout), header_(std::move(header)) {}

  const ZarrLabelLayout& layout() const { return layout_; }
  const ZarrLabelHeader& header() const { return header_; }

  void write_head(int folder) const override {
    for (std::size_t level = 0; level < header_.levels.size(); ++level)
      make_folder(folder, std::to_string(level));
    for (const auto& [key, text] : zarr_label_metadata(header_))
      write_file(folder, key, {std::as_bytes(std::span(text))});
  }
  void write_strip(int folder, std::int64_t strip, std::span<const std::byte> bytes) override {
    if (!chunks_) chunks_.emplace(layout_, header_, 0, folder);
    chunks_->begin_strip(strip);
    while (!bytes.empty()) {
      ChunkRecord record;
      if (bytes.size() < sizeof record) throw Error(ErrorCode::data, "is damaged");
      std::memcpy(&record, bytes.data(), sizeof record);
      bytes = bytes.subspan(sizeof record);
      if (record.bytes > bytes.size()) throw Error(ErrorCode::data, "is damaged");
      chunks_->add(record.column, {bytes.first(record.bytes)});
      bytes = bytes.subspan(record.bytes);
    }
    chunks_->end_strip();
  }

  void write_tail(int folder, std::uint64_t /*strips_end*/) const override {
    for (std::size_t level = 1; level < header_.levels.size(); ++level)
      LevelMaker(header_, level, folder).run();
  }

 private:
  ZarrLabelLayout layout_;
  ZarrLabelHeader header_;
  std::optional<ChunkFolder> chunks_;
};

/// A zip archive of the documents and chunks.
class ZipFile final : public StripFile {
 public:
  ZipFile(const ZarrLabelLayout& layout, ZarrLabelHeader header)
      : StripFile(layout.strips, StripPlacement::after_others), layout_(layout), header_(std::move(header)) {}

  const ZarrLabelLayout& layout() const { return layout_; }
  const ZarrLabelHeader& header() const { return header_; }

  Bytes head() const override {
    Bytes bytes;
    for (const auto& [key, text] : zarr_label_metadata(header_))
      add_to_zip(bytes, key, {std::as_bytes(std::span(text))});
    return bytes;
  }
  void write_tail(int file, std::uint64_t strips_end) const override {
    write_zip_directory(file, strips_end);
  }

 private:
  ZarrLabelLayout layout_;
  ZarrLabelHeader header_;
};

/// Refuses chunks that are larger than programs read.
void check_chunk(const ZarrLabelLayout& layout, LabelType type) {
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
  if (layout.chunk_samples() > kMaxBytes / (bits_per_sample(type) / 8))
    throw Error(ErrorCode::usage, "its chunks would exceed 1 GiB; use smaller ones in --chunks");
}

}  // namespace

std::vector<ZarrLevel> zarr_levels(const std::string& path, const Extent& extent,
                                   const WriteOptions& options) {
  constexpr int kSmallEnough = 256;
  std::vector<ZarrLevel> levels;
  if (is_label_group(path)) levels = levels_of_image(image_of_labels(path), extent);
  if (levels.size() > 1) return levels;
  levels = {{{1, 1, 1}, extent}};
  std::array<double, 3> spacing{};
  for (std::size_t axis = 0; axis < spacing.size(); ++axis)
    spacing[axis] = is_spacing(options.geometry.spacing[axis]) ? options.geometry.spacing[axis] : 1;
  while (options.pyramid) {
    ZarrLevel next = levels.back();
    int* const sizes[] = {&next.extent.width, &next.extent.height, &next.extent.depth};
    double finest = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < spacing.size(); ++axis)
      if (*sizes[axis] > 1) finest = std::min(finest, spacing[axis]);
    if (std::max({*sizes[0], *sizes[1], *sizes[2]}) <= kSmallEnough) break;
    for (std::size_t axis = 0; axis < spacing.size(); ++axis) {
      if (*sizes[axis] == 1 || spacing[axis] >= 2 * finest) continue;
      *sizes[axis] = (*sizes[axis] + 1) / 2;
      next.steps[axis] *= 2;
      spacing[axis] *= 2;
    }
    levels.push_back(next);
  }
  return levels;
}

ChunkCompression zarr_compression(const WriteOptions& options, int version) {
  constexpr int kDeflateLevel = 2;  // of label TIFFs
  constexpr int kZstdLevel = 3, kBloscLevel = 5;
  const auto level = [&](int usual) { return options.level > 0 ? options.level : usual; };
  switch (options.compression) {
    case Compression::none:
      return {};
    case Compression::deflate:
      return {version == 3 ? ChunkCodec::gzip : ChunkCodec::zlib, level(kDeflateLevel)};
    case Compression::zstd:
      return {ChunkCodec::zstd, level(kZstdLevel)};
    case Compression::blosc:
      return {ChunkCodec::blosc, level(kBloscLevel)};
    default:
      throw Error(ErrorCode::usage, "a Zarr is compressed by deflate, zstd or blosc, or not at all");
  }
}

static void check(const ZarrLabelLayout& layout, const ZarrLabelHeader& header) {
  const std::optional<ChunkCodec> codec = zarr_compression(header.options, header.version).codec;
  if (codec && !is_built_in(*codec))
    throw Error(ErrorCode::data,
                "this compression is not in this build of gpuccl, see gpuccl info; use another");
  check_chunk(layout, header.options.type);
}

LabelFile ozx_label_file(const Extent& extent, const WriteOptions& options) {
  const ZarrLabelLayout layout(extent, options);
  auto file = std::make_unique<ZipFile>(
      layout,
      ZarrLabelHeader{.version = 3, .group = "", .options = options, .levels = {{{1, 1, 1}, extent}}});
  check(layout, file->header());
  const ZipFile& image = *file;
  return {std::move(file), [&image](const MappedLabels& labels, int /*file*/) {
            return std::make_unique<ChunkEncoder>(image.layout(), image.header(), labels, ChunkTarget::zip);
          }};
}

LabelFile zarr_label_file(const std::string& path, const Extent& extent, const WriteOptions& options) {
  ZarrLabelHeader header;
  const int requested = options.shards ? 3 : options.zarr_format;
  header.version = requested != 0 ? requested : std::max(options.geometry.zarr_format, 2);
  if (is_label_group(path)) {
    header.group = std::filesystem::path(path).filename().string();
    header.version = zarr_version_of_image(path);
    if (requested != 0 && requested != header.version)
      throw Error(ErrorCode::usage, "labels have the Zarr format of their image, " +
                                        std::to_string(header.version) +
                                        "; leave --zarr-format and --shards out, or write another store");
  }
  header.shards = header.version == 3 && (options.shards || (requested == 0 && options.geometry.zarr_shards));
  header.options = options;
  header.levels = zarr_levels(path, extent, options);
  const ZarrLabelLayout layout(extent, options);
  check(layout, header);
  auto file = std::make_unique<ZarrFile>(layout, std::move(header));
  const ZarrFile& image = *file;
  return {std::move(file), [&image](const MappedLabels& labels, int folder) {
            return std::make_unique<ChunkEncoder>(image.layout(), image.header(), labels,
                                                  folder < 0 ? ChunkTarget::records : ChunkTarget::folder,
                                                  folder);
          }};
}

}  // namespace gpuccl::io
