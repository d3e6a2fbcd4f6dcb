#include "io/zarr/zarr_label_writer.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/deflate/deflater.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/deflate/stream_frame.hpp"
#include "io/zarr/label_group.hpp"
#include "io/zarr/zarr_label_layout.hpp"
#include "io/zarr/zarr_label_metadata.hpp"

namespace gpuccl::io {
namespace {

using Bytes = std::vector<std::byte>;

/// As for label TIFFs.
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

/// What one thread makes chunks with.
class ChunkMaker {
 public:
  ChunkMaker(const ZarrLabelLayout& layout, LabelType type, bool is_gzip)
      : layout_(layout),
        type_(type),
        is_gzip_(is_gzip),
        from_runs_({.width = layout.width, .sample_bytes = bits_per_sample(type) / 8}),
        from_samples_(kDeflateLevel) {}

  /// Writes the chunks of a strip into `folder`.
  void write(const MappedLabels& labels, std::int64_t strip, int folder) {
    const StripLayout& strips = layout_.strips;
    const std::int64_t y = strips.index_in_slice(strip);
    std::string row = std::to_string(y);
    if (strips.extent.depth > 1) {
      const std::string slice = std::to_string(strip / strips.strips_per_slice);
      make_folder(folder, slice);
      row = slice + "/" + row;
    }
    list_runs(labels, strips.first_row(strip), strips.rows(strip), rows_);
    if (rows_.runs.empty()) return;
    make_folder(folder, row);
    cutter_.start(rows_);
    for (std::int64_t column = 0; column < layout_.columns; ++column) {
      const auto begin = static_cast<int>(column * layout_.width);
      const auto end = std::min<std::int64_t>(std::int64_t{begin} + layout_.width, strips.extent.width);
      cutter_.cut(begin, static_cast<int>(end), layout_.height, chunk_);
      if (!chunk_.runs.empty()) write_chunk(folder, row + "/" + std::to_string(column));
    }
  }

 private:
  void write_chunk(int folder, const std::string& name) {
    if (is_gzip_) draw();
    if (from_runs_.pays(chunk_.runs.size(), layout_.height)) {
      from_runs_.clear();
      from_runs_.add(chunk_);
      if (!is_gzip_) return write_file(folder, name, {from_runs_.stream()});
      const Bytes begin = gzip_begin({});
      const Bytes end = gzip_end(libdeflate_crc32(0, samples_.data(), samples_.size()), samples_.size());
      return write_file(folder, name, {begin, from_runs_.blocks(), end});
    }
    if (!is_gzip_) draw();
    const std::size_t bytes = is_gzip_
                                  ? from_samples_.compress_gzip(samples_.data(), samples_.size(), stream_)
                                  : from_samples_.compress(samples_.data(), samples_.size(), stream_);
    write_file(folder, name, {std::span(stream_).first(bytes)});
  }

  /// The chunk as samples.
  void draw() {
    const auto bytes = static_cast<std::size_t>(bits_per_sample(type_)) / 8;
    samples_.assign(
        static_cast<std::size_t>(layout_.height) * static_cast<std::size_t>(layout_.width) * bytes,
        std::byte{});
    if (bytes == 1) return draw_as<std::uint8_t>();
    if (bytes == 2) return draw_as<std::uint16_t>();
    draw_as<std::uint32_t>();
  }
  template <class Sample>
  void draw_as() {
    auto* row = reinterpret_cast<Sample*>(samples_.data());
    std::size_t run = 0;
    for (const std::size_t end : chunk_.ends) {
      for (; run < end; ++run)
        std::fill(row + chunk_.runs[run].begin, row + chunk_.runs[run].end,
                  static_cast<Sample>(chunk_.runs[run].label));
      row += layout_.width;
    }
  }

  const ZarrLabelLayout& layout_;
  LabelType type_;
  bool is_gzip_;
  RunDeflater from_runs_;
  Deflater from_samples_;
  RowCutter cutter_;
  LabelRuns rows_, chunk_;
  Bytes samples_, stream_;
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

void write_zarr_labels(AtomicFile& folder, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options) {
  const ZarrLabelLayout layout(labels.labels.extent(), bits_per_sample(type), options.strips_at_once);
  ZarrLabelHeader header;
  header.is_in_image = is_label_group(folder.path());
  header.version = header.is_in_image ? zarr_version_of_image(folder.path()) : 2;
  header.type = type;
  header.geometry = options.geometry;
  make_folder(folder.descriptor(), "0");
  for (const auto& [key, text] : zarr_label_metadata(header, layout))
    write_file(folder.descriptor(), key, {std::as_bytes(std::span(text))});
  const std::string chunks = header.version == 2 ? "0" : "0/c";
  if (header.version == 3) make_folder(folder.descriptor(), chunks);
  const Descriptor array(::openat(folder.descriptor(), chunks.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!array) throw system_error(Failure::io, "cannot open the folder of chunks", errno);

  using Slot = std::optional<ChunkMaker>;
  const auto make = [&](Slot& slot, std::int64_t strip) {
    if (!slot) slot.emplace(layout, type, header.version == 3);
    slot->write(labels, strip, array.get());
  };
  const auto take = [&](Slot&, std::int64_t strip) {
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(layout.strips.count()));
  };
  for_each_strip<Slot>(layout.strips, prepare_rows(labels), make, take);
}

}  // namespace gpuccl::io
