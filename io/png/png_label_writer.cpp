#include "io/png/png_label_writer.hpp"

#include <string>

#include "gpuccl/error.hpp"
#include "io/deflate/stream_frame.hpp"
#include "io/image/run_blocks.hpp"
#include "io/png/png_output.hpp"

namespace gpuccl::io {
// The one stream of a PNG is made strip by strip in parallel: no strip refers to another, and each ends on a
// byte. Always from runs: so few labels fit a PNG that most of its noise has one of them.
void write_png_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  if (extent.depth > 1)
    throw Error(Failure::data, "a PNG holds one slice and this volume has " + std::to_string(extent.depth) +
                                   "; write a .tiff");
  if (kind_of(type) != 'u')
    throw Error(Failure::data, "a PNG holds no " + long_name(type) + "; write a .tiff");
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const SampleRow row{.width = extent.width, .sample_bytes = bits_per_sample(type) / 8, .png = true};
  PngOutput png(file, {.width = extent.width,
                       .height = extent.height,
                       .bits = bits_per_sample(type),
                       .resolution = options.geometry.resolution});

  Adler32 checksum;
  const auto make = [&](RunBlocks& slot, std::int64_t strip) { slot.make(labels, strips, strip, row); };
  const auto take = [&](RunBlocks& slot, std::int64_t strip) {
    png.write_stream(slot.blocks);
    checksum.append(static_cast<std::uint64_t>(row.bytes() * strips.rows(strip)), slot.deflater->checksum());
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  png.write_stream(zlib_begin());
  for_each_strip<RunBlocks>(strips, prepare_rows(labels), make, take);
  png.write_stream(zlib_end(checksum));
  png.finish();
}

}  // namespace gpuccl::io
