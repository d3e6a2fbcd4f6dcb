#include <tiff.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/image/formats.hpp"
#include "io/tiff/tiff.hpp"
#include "io/tiff/tiff_handle.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

int tiff_scheme(Compression compression) {
  switch (compression) {
    case Compression::none:
      return COMPRESSION_NONE;
    case Compression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case Compression::lzw:
      return COMPRESSION_LZW;
    case Compression::zstd:
      return COMPRESSION_ZSTD;
    case Compression::packbits:
      return COMPRESSION_PACKBITS;
    case Compression::blosc:
      break;
  }
  throw Error(ErrorCode::internal, "unknown compression");
}

namespace {

/// A file in memory for libtiff to write to.
struct MemoryFile {
  std::vector<std::byte>& bytes;
  std::size_t position = 0;

  static tmsize_t write(thandle_t handle, void* data, tmsize_t count) {
    MemoryFile& file = *static_cast<MemoryFile*>(handle);
    const std::size_t end = file.position + static_cast<std::size_t>(count);
    try {
      if (file.bytes.size() < end) file.bytes.resize(end);
    } catch (const std::bad_alloc&) {
      return -1;
    }
    std::memcpy(file.bytes.data() + file.position, data, static_cast<std::size_t>(count));
    file.position = end;
    return count;
  }
  static tmsize_t read(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    MemoryFile& file = *static_cast<MemoryFile*>(handle);
    if (whence == SEEK_CUR) offset += file.position;
    if (whence == SEEK_END) offset += file.bytes.size();
    return file.position = offset;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return static_cast<MemoryFile*>(handle)->bytes.size(); }
};

/// Sets the tags of a page with one strip of `rows` rows. Returns false if libtiff rejects a tag.
bool set_sample_tags(TIFF* tiff, const TiffPages& pages, std::int64_t rows) {
  const auto set = [tiff](ttag_t tag, auto value) { return TIFFSetField(tiff, tag, value) == 1; };
  return set(TIFFTAG_IMAGEWIDTH, pages.strips.extent.width) &&
         set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows)) &&
         set(TIFFTAG_BITSPERSAMPLE, pages.bits_per_sample) && set(TIFFTAG_SAMPLESPERPIXEL, 1) &&
         set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) && set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
         set(TIFFTAG_COMPRESSION, tiff_scheme(pages.compression)) &&
         set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
}

/// Encodes a strip with libtiff, which only writes files: writes a file with this strip into `buffer`, and
/// returns the strip in it.
std::span<const std::byte> encode_by_libtiff(const TiffPages& pages, std::int64_t rows,
                                             std::span<std::byte> samples, std::vector<std::byte>& buffer) {
  buffer.clear();
  MemoryFile file{buffer};
  TiffMessages messages;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(
      open_tiff({"w8l", &file, MemoryFile::read, MemoryFile::write, MemoryFile::seek, MemoryFile::close,
                 MemoryFile::size},
                messages, 0),
      TIFFClose);
  const auto size = static_cast<tmsize_t>(samples.size());
  if (!tiff || !set_sample_tags(tiff.get(), pages, rows) ||
      TIFFWriteEncodedStrip(tiff.get(), 0, samples.data(), size) != size)
    throw Error(ErrorCode::io,
                messages.error.empty() ? "cannot compress" : "cannot compress (" + messages.error + ")");
  const std::size_t offset = TIFFGetStrileOffset(tiff.get(), 0),
                    bytes = TIFFGetStrileByteCount(tiff.get(), 0);
  tiff.reset();  // appends the directory, which may move the buffer
  return std::span<const std::byte>(buffer).subspan(offset, bytes);
}

}  // namespace

EncodedStrip TiffStripEncoder::encode(std::int64_t strip) {
  samples_.resize(pages_.strips.bytes(strip));
  fill_(strip, samples_.data());
  switch (pages_.compression) {
    case Compression::none:
      return {samples_};
    case Compression::deflate: {
      if (!deflater_) deflater_.emplace(pages_.deflate_level);
      const std::size_t bytes = deflater_->compress(samples_.data(), samples_.size(), encoded_);
      return {std::span(encoded_).first(bytes)};
    }
    default:
      return {encode_by_libtiff(pages_, pages_.strips.rows(strip), samples_, encoded_)};
  }
}

namespace {

// Level of libdeflate: for labels of pages and volumes faster and smaller than level 1; higher levels cost
// more time than they save in bytes.
constexpr int kDeflateLevel = 2;

/// Number of parts in which the runs of a strip are listed.
constexpr std::int64_t kParts = 16;
std::int64_t rows_of_part(std::int64_t rows) { return (rows + kParts - 1) / kParts; }

/// Encodes strips in Deflate from their runs, or from samples if the runs are short.
class RunStrips final : public StripEncoder {
 public:
  RunStrips(const MappedLabels& labels, const TiffPages& pages, FillStrip fill)
      : labels_(labels),
        strips_(pages.strips),
        from_runs_({.width = pages.strips.extent.width, .sample_bytes = pages.bits_per_sample / 8}),
        from_samples_(pages, std::move(fill)) {}

  EncodedStrip encode(std::int64_t strip) override {
    if (!has_long_runs(strip)) return from_samples_.encode(strip);
    return {from_runs_.stream()};
  }

 private:
  /// Adds the runs of a strip to from_runs_, part by part. Returns false if there are too many: for noise
  /// mostly at once, by a few rows, otherwise after the part with too many, before they take memory and time.
  bool has_long_runs(std::int64_t strip) {
    if (seems_noise(strip)) return false;
    constexpr std::size_t kKept = std::size_t{1} << 20;
    const std::int64_t rows = strips_.rows(strip), step = rows_of_part(rows);
    from_runs_.clear();
    for (std::int64_t row = 0; row < rows; row += step) {
      list_runs(labels_, strips_.first_row(strip) + row, std::min(step, rows - row), part_);
      if (!from_runs_.pays(from_runs_.runs() + part_.runs.size(), rows)) {
        if (part_.runs.size() > kKept) part_ = {};  // of a very wide row, as large as its samples
        return false;
      }
      from_runs_.add(part_);
    }
    return true;
  }

  /// Returns whether a few rows have too many runs. Checks every 31st row, because patterns repeat after
  /// powers of two.
  bool seems_noise(std::int64_t strip) {
    constexpr std::int64_t kStep = 31;
    const std::int64_t rows = strips_.rows(strip), seen = rows / kStep;
    std::size_t runs = 0;
    for (std::int64_t i = 0; i < seen; ++i) {
      list_runs(labels_, strips_.first_row(strip) + i * kStep, 1, part_);
      runs += part_.runs.size();
    }
    return seen > 0 && !from_runs_.pays(runs, seen);
  }

  const MappedLabels labels_;
  const StripLayout& strips_;
  LabelRuns part_;
  RunDeflater from_runs_;
  TiffStripEncoder from_samples_;
};

}  // namespace

LabelFile tiff_label_file(const std::string& path, const Extent& extent, Label count,
                          const WriteOptions& options) {
  const bool is_ome = is_ome_tiff(path);
  const int bits = bits_per_sample(options.type);
  auto file = std::make_unique<TiffFile>(
      TiffPages{.strips = StripLayout(extent, bits, options.strips_at_once),
                .bits_per_sample = bits,
                .sample_format = kind_of(options.type) == 'u'   ? SAMPLEFORMAT_UINT
                                 : kind_of(options.type) == 'i' ? SAMPLEFORMAT_INT
                                                                : SAMPLEFORMAT_IEEEFP,
                .compression = options.compression,
                .deflate_level = kDeflateLevel,
                .big = options.big_tiff,
                .resolution = resolution_of(options.geometry),
                .description = is_ome ? ome_xml(extent, options.type, options.geometry)
                                      : imagej_description(extent, count, options.geometry)});
  const TiffPages& pages = file->pages();
  const auto new_encoder = [&pages, type = options.type](const MappedLabels& labels,
                                                         int /*file*/) -> std::unique_ptr<StripEncoder> {
    const FillStrip fill = [&pages, labels, type](std::int64_t strip, std::byte* samples) {
      render(labels, type, pages.strips.first_row(strip), pages.strips.rows(strip), samples);
    };
    if (pages.compression == Compression::deflate && bits_per_sample(type) <= 32)
      return std::make_unique<RunStrips>(labels, pages, fill);
    return std::make_unique<TiffStripEncoder>(pages, fill);
  };
  return {std::move(file), new_encoder};
}

}  // namespace gpuccl::io
