#include <tiff.h>

#include <algorithm>
#include <utility>

#include "io/deflate/run_deflater.hpp"
#include "io/tiff/tiff.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {
namespace {

// Level of libdeflate: for labels of pages and volumes faster and smaller than level 1; higher levels cost
// more time than they save in bytes.
constexpr int kDeflateLevel = 2;

/// The runs of a strip are listed in so many parts.
constexpr std::int64_t kParts = 16;
std::int64_t rows_of_part(std::int64_t rows) { return (rows + kParts - 1) / kParts; }

/// Deflate from runs, from samples where the runs are short.
class RunStrips final : public StripEncoder {
 public:
  RunStrips(const MappedLabels& labels, LabelType type, const TiffPages& pages, FillStrip fill)
      : labels_(labels),
        strips_(pages.strips),
        hash_(type),
        from_runs_({.width = pages.strips.extent.width, .sample_bytes = pages.bits_per_sample / 8}),
        from_samples_(pages, std::move(fill)) {}

  EncodedStrip encode(std::int64_t strip) override {
    if (!has_long_runs(strip)) return from_samples_.encode(strip);
    if (labels_.hash != nullptr) labels_.hash->add_sum(hash_.sum());
    return {from_runs_.stream()};
  }

 private:
  /// Takes the runs of a strip in parts: noise ends with the part in which there are too many, before it
  /// takes memory and time, and mostly at once, by a few of its rows.
  bool has_long_runs(std::int64_t strip) {
    if (seems_noise(strip)) return false;
    constexpr std::size_t kKept = std::size_t{1} << 20;
    const std::int64_t rows = strips_.rows(strip), step = rows_of_part(rows);
    from_runs_.clear();
    hash_.clear();
    for (std::int64_t row = 0; row < rows; row += step) {
      list_runs(labels_, strips_.first_row(strip) + row, std::min(step, rows - row), part_);
      if (!from_runs_.pays(from_runs_.runs() + part_.runs.size(), rows)) {
        if (part_.runs.size() > kKept) part_ = {};  // of a very wide row, as large as its samples
        return false;
      }
      from_runs_.add(part_);
      if (labels_.hash != nullptr) hash_.add(strips_.first_row(strip) + row, part_);
    }
    return true;
  }

  /// Whether a few rows have more runs than pay. Images repeat after powers of two rather than after 31 rows.
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
  ContentHash hash_;  // of the strip, which counts if it is encoded from its runs
  RunDeflater from_runs_;
  TiffStripEncoder from_samples_;
};

}  // namespace

std::int64_t bytes_of_tiff_strip(const StripLayout& strips, LabelType type, Compression compression,
                                 std::int64_t runs) {
  const std::int64_t rows = strips.rows_per_strip, samples = rows * strips.row_bytes;
  switch (compression) {
    case Compression::none:
      return samples;
    case Compression::deflate: {
      constexpr std::int64_t kWhileItGrows = 2 * sizeof(LabelRun);
      const std::int64_t listed = kWhileItGrows * rows_of_part(rows) * runs;
      const SampleRow row{.width = strips.extent.width, .sample_bytes = bits_per_sample(type) / 8};
      const std::int64_t most = RunDeflater::most_that_pay(row, rows);
      if (rows * runs <= most) return listed + RunDeflater::bytes_of(rows * runs);
      return listed + RunDeflater::bytes_of(most) + 2 * samples;  // of strips before, too
    }
    default: {
      constexpr std::int64_t kOfLibtiff = 4;  // its buffer, what it has encoded, and that while it grows
      return (1 + kOfLibtiff) * samples;
    }
  }
}

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
                                      : imagej_description(extent, count, options.geometry),
                .imagej_lookup_table = is_ome ? std::string() : imagej_lookup_table()});
  const TiffPages& pages = file->pages();
  const auto new_encoder = [&pages, type = options.type](const MappedLabels& labels,
                                                         int /*file*/) -> std::unique_ptr<StripEncoder> {
    const FillStrip fill = [&pages, labels, type](std::int64_t strip, std::byte* samples) {
      render(labels, type, pages.strips.first_row(strip), pages.strips.rows(strip), samples);
    };
    if (pages.compression == Compression::deflate && bits_per_sample(type) <= 32)
      return std::make_unique<RunStrips>(labels, type, pages, fill);
    return std::make_unique<TiffStripEncoder>(pages, fill);
  };
  return {std::move(file), new_encoder};
}

}  // namespace gpuccl::io
