#include "io/png/png_label_writer.hpp"

#include <cstddef>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/image/strips.hpp"
#include "io/png/png_output.hpp"

namespace gpuccl::io {

// Rendered in parallel; the one zlib stream of a PNG is compressed in order.
void write_png_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  if (extent.depth > 1)
    throw Error(Failure::data, "a PNG holds one slice and this volume has " + std::to_string(extent.depth) +
                                   "; write a .tiff");
  const StripLayout strips(extent, bits_per_sample(type));
  PngOutput png(file, {.width = extent.width,
                       .height = extent.height,
                       .bits = bits_per_sample(type),
                       .spacing = options.spacing});

  using Samples = std::vector<std::byte>;
  const auto make = [&](Samples& samples, std::int64_t strip) {
    samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), samples.data());
  };
  const auto take = [&](Samples& samples, std::int64_t strip) {
    png.write_rows(samples.data(), static_cast<std::size_t>(strips.row_bytes),
                   static_cast<std::size_t>(strips.rows(strip)));
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  for_each_strip<Samples>(strips, prepare_rows(labels), make, take);
  png.finish();
}

}  // namespace gpuccl::io
