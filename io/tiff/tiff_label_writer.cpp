#include "io/tiff/tiff_label_writer.hpp"

#include "io/tiff/imagej_description.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {
namespace {

// Of libdeflate: on labels of pages and volumes both faster and smaller than level 1; more costs more time
// than it saves in bytes.
constexpr int kDeflateLevel = 2;

}  // namespace

void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  const TiffPages pages{.strips = StripLayout(extent, bits_per_sample(type)),
                        .bits_per_sample = bits_per_sample(type),
                        .compression = options.compression,
                        .deflate_level = kDeflateLevel,
                        .big = options.big_tiff,
                        .spacing = options.spacing,
                        .description = imagej_description(extent, labels.count, options.spacing)};
  const auto fill = [&](std::int64_t strip, std::byte* samples) {
    render(labels, type, pages.strips.first_row(strip), pages.strips.rows(strip), samples);
  };
  write_tiff(file, pages, prepare_rows(labels), fill, options.progress);
}

}  // namespace gpuccl::io
