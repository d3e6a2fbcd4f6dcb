#include "io/zarr/zarr_label_writer.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/deflate/deflater.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/deflate/stream_frame.hpp"
#include "io/files/descriptor.hpp"
#include "io/zarr/label_group.hpp"
#include "io/zarr/zarr_label_layout.hpp"
#include "io/zarr/zarr_label_metadata.hpp"

namespace gpuccl::io {
namespace {

using Bytes = std::vector<std::byte>;

/// The level of label TIFFs.
constexpr int kDeflateLevel = 2;

void make_folder(int folder, const std::string& name) {
  if (::mkdirat(folder, name.c_str(), 0777) != 0 && errno != EEXIST)
    throw system_error(Failure::io, "cannot create a folder for chunks", errno);
}

void write_file(int folder, const std::string& name,
                std::initializer_list<std::span<const std::byte>> parts) {
  Descriptor file;
  do {
    file = Descriptor(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  } while (!file && errno == EINTR);
  if (!file) throw system_error(Failure::io, "cannot create a chunk", errno);
  for (const std::span<const std::byte> part : parts) write_all(file.get(), part.data(), part.size());
  if (!file.close()) throw system_error(Failure::io, "cannot write", errno);
}

/// Cuts rows into columns, from left to right.
class RowCutter {
 public:
  void start(const LabelRuns& rows) {
    rows_ = &rows;
    next_.assign(1, 0);
    next_.insert(next_.end(), rows.ends.begin(), rows.ends.end());
  }
  /// The part in columns [begin, end), and empty rows up to `height`.
  void cut(int begin, int end, int height, LabelRuns& out) {
    out.runs.clear();
    out.ends.clear();
    for (std::size_t row = 0; row < rows_->ends.size(); ++row) {
      for (std::size_t& next = next_[row]; next < rows_->ends[row] && rows_->runs[next].begin < end; ++next) {
        const LabelRun& run = rows_->runs[next];
        out.runs.push_back({std::max(run.begin, begin) - begin, std::min(run.end, end) - begin, run.label});
        if (run.end > end) break;
      }
      out.ends.push_back(out.runs.size());
    }
    out.ends.resize(static_cast<std::size_t>(height), out.runs.size());
  }

 private:
  const LabelRuns* rows_ = nullptr;
  std::vector<std::size_t> next_;  // of each row, the run that the next column begins with
};

/// The folder of the chunks of all strips.
class ChunkFolder {
 public:
  /// `folder`: of the image. Several processes may make it at the same time.
  ChunkFolder(const ZarrLabelLayout& layout, int version, int folder) : layout_(layout) {
    make_folder(folder, "0");
    const char* const name = version == 2 ? "0" : "0/c";
    if (version == 3) make_folder(folder, name);
    folder_ = Descriptor(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) throw system_error(Failure::io, "cannot open the folder of chunks", errno);
  }

  void begin_strip(std::int64_t strip) {
    const StripLayout& strips = layout_.strips;
    row_ = std::to_string(strips.index_in_slice(strip));
    has_row_ = false;
    if (strips.extent.depth == 1) return;
    const std::string slice = std::to_string(strip / strips.strips_per_slice);
    make_folder(folder_.get(), slice);
    row_ = slice + "/" + row_;
  }
  /// A chunk of the strip, in this column.
  void add(std::uint64_t column, std::initializer_list<std::span<const std::byte>> parts) {
    if (!has_row_) make_folder(folder_.get(), row_);
    has_row_ = true;
    write_file(folder_.get(), row_ + "/" + std::to_string(column), parts);
  }

 private:
  const ZarrLabelLayout& layout_;
  Descriptor folder_;
  std::string row_;
  bool has_row_ = false;  // the folder of the strip is made
};

/// Header of a chunk in strips that wait to be written into a folder.
struct ChunkRecord {
  std::uint64_t column = 0, bytes = 0;
};

/// Encodes chunks for one thread.
class ChunkEncoder final : public StripEncoder {
 public:
  /// `folder`: -1 to return the chunks, with a record before each.
  ChunkEncoder(const ZarrLabelLayout& layout, LabelType type, int version, const MappedLabels& labels,
               int folder)
      : layout_(layout),
        type_(type),
        is_gzip_(version == 3),
        labels_(labels),
        from_runs_({.width = layout.width, .sample_bytes = bits_per_sample(type) / 8}),
        from_samples_(kDeflateLevel) {
    if (folder >= 0) folder_.emplace(layout, version, folder);
  }

  EncodedStrip encode(std::int64_t strip) override {
    const StripLayout& strips = layout_.strips;
    records_.clear();
    if (folder_) folder_->begin_strip(strip);
    list_runs(labels_, strips.first_row(strip), strips.rows(strip), rows_);
    if (rows_.runs.empty()) return {};
    if (labels_.hash != nullptr) labels_.hash->add(strips.first_row(strip), rows_, labels_.wide);
    cutter_.start(rows_);
    for (std::int64_t column = 0; column < layout_.columns; ++column) {
      const auto begin = static_cast<int>(column * layout_.width);
      const auto end = std::min<std::int64_t>(std::int64_t{begin} + layout_.width, strips.extent.width);
      cutter_.cut(begin, static_cast<int>(end), layout_.height, chunk_);
      if (!chunk_.runs.empty()) encode_chunk(static_cast<std::uint64_t>(column));
    }
    return {records_};
  }

 private:
  void encode_chunk(std::uint64_t column) {
    if (is_gzip_) draw();
    if (bits_per_sample(type_) <= 32 && from_runs_.pays(chunk_.runs.size(), layout_.height)) {
      from_runs_.clear();
      from_runs_.add(chunk_);
      if (!is_gzip_) return put(column, {from_runs_.stream()});
      const Bytes begin = gzip_begin({});
      const Bytes end = gzip_end(libdeflate_crc32(0, samples_.data(), samples_.size()), samples_.size());
      return put(column, {begin, from_runs_.blocks(), end});
    }
    if (!is_gzip_) draw();
    const std::size_t bytes = is_gzip_
                                  ? from_samples_.compress_gzip(samples_.data(), samples_.size(), stream_)
                                  : from_samples_.compress(samples_.data(), samples_.size(), stream_);
    put(column, {std::span(stream_).first(bytes)});
  }

  void put(std::uint64_t column, std::initializer_list<std::span<const std::byte>> parts) {
    if (folder_) return folder_->add(column, parts);
    ChunkRecord record{column, 0};
    for (const std::span<const std::byte> part : parts) record.bytes += part.size();
    const auto bytes = std::as_bytes(std::span(&record, 1));
    records_.insert(records_.end(), bytes.begin(), bytes.end());
    for (const std::span<const std::byte> part : parts)
      records_.insert(records_.end(), part.begin(), part.end());
  }

  /// The chunk as samples.
  void draw() {
    const auto bytes = static_cast<std::size_t>(bits_per_sample(type_)) / 8;
    samples_.assign(
        static_cast<std::size_t>(layout_.height) * static_cast<std::size_t>(layout_.width) * bytes,
        std::byte{});
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
  LabelType type_;
  bool is_gzip_;
  const MappedLabels labels_;
  std::optional<ChunkFolder> folder_;
  RunDeflater from_runs_;
  Deflater from_samples_;
  RowCutter cutter_;
  LabelRuns rows_, chunk_;
  Bytes samples_, stream_, records_;
};

/// The documents, and chunks as files of their own.
class ZarrFile final : public StripFile {
 public:
  ZarrFile(const ZarrLabelLayout& layout, const ZarrLabelHeader& header)
      : StripFile(layout.strips, Places::own_files), layout_(layout), header_(header) {}

  const ZarrLabelLayout& layout() const { return layout_; }

  void write_head(int folder) const override {
    make_folder(folder, "0");
    for (const auto& [key, text] : zarr_label_metadata(header_, layout_))
      write_file(folder, key, {std::as_bytes(std::span(text))});
  }
  void write_strip(int folder, std::int64_t strip, std::span<const std::byte> bytes) override {
    if (!chunks_) chunks_.emplace(layout_, header_.version, folder);
    chunks_->begin_strip(strip);
    while (!bytes.empty()) {
      ChunkRecord record;
      if (bytes.size() < sizeof record) throw Error(Failure::data, "is damaged");
      std::memcpy(&record, bytes.data(), sizeof record);
      bytes = bytes.subspan(sizeof record);
      if (record.bytes > bytes.size()) throw Error(Failure::data, "is damaged");
      chunks_->add(record.column, {bytes.first(record.bytes)});
      bytes = bytes.subspan(record.bytes);
    }
  }

 private:
  ZarrLabelLayout layout_;
  ZarrLabelHeader header_;
  std::optional<ChunkFolder> chunks_;
};

}  // namespace

std::int64_t bytes_of_zarr_strip(const Extent& extent, LabelType type, std::int64_t runs) {
  const ZarrLabelLayout layout(extent, bits_per_sample(type));
  const std::int64_t samples = std::int64_t{layout.width} * layout.height * bits_per_sample(type) / 8;
  const SampleRow row{.width = layout.width, .sample_bytes = bits_per_sample(type) / 8};
  const std::int64_t of_strip = layout.height * runs * std::int64_t{sizeof(LabelRun)};
  const std::int64_t of_chunk =
      std::min<std::int64_t>(layout.height * runs, RunDeflater::most_that_pay(row, layout.height));
  return 2 * of_strip + RunDeflater::bytes_of(of_chunk) + 3 * samples;
}

LabelFile zarr_label_file(const std::string& path, const Extent& extent, const WriteOptions& options) {
  ZarrLabelHeader header;
  header.is_in_image = is_label_group(path);
  header.version = header.is_in_image ? zarr_version_of_image(path) : 2;
  header.type = options.type;
  header.geometry = options.geometry;
  auto file = std::make_unique<ZarrFile>(
      ZarrLabelLayout(extent, bits_per_sample(options.type), options.strips_at_once), header);
  const ZarrLabelLayout& layout = file->layout();
  return {std::move(file),
          [&layout, type = options.type, version = header.version](const MappedLabels& labels, int folder) {
            return std::make_unique<ChunkEncoder>(layout, type, version, labels, folder);
          }};
}

}  // namespace gpuccl::io
