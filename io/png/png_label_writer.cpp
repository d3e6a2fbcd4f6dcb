#include "io/png/png_label_writer.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "gpuccl/error.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/deflate/stream_frame.hpp"
#include "io/image/strips.hpp"
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
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const SampleRow row{.width = extent.width, .sample_bytes = bits_per_sample(type) / 8, .png = true};
  PngOutput png(file, {.width = extent.width,
                       .height = extent.height,
                       .bits = bits_per_sample(type),
                       .resolution = options.geometry.resolution});

  struct Slot {
    std::optional<RunDeflater> deflater;
    LabelRuns runs;
    std::span<const std::byte> blocks;
  };
  Adler32 checksum;
  const auto make = [&](Slot& slot, std::int64_t strip) {
    if (!slot.deflater) slot.deflater.emplace(row);
    list_runs(labels, strips.first_row(strip), strips.rows(strip), slot.runs);
    slot.deflater->clear();
    slot.deflater->add(slot.runs);
    slot.blocks = slot.deflater->blocks();
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    png.write_stream(slot.blocks);
    checksum.append(static_cast<std::uint64_t>(row.bytes() * strips.rows(strip)), slot.deflater->checksum());
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  png.write_stream(zlib_begin());
  for_each_strip<Slot>(strips, prepare_rows(labels), make, take);
  png.write_stream(zlib_end(checksum));
  png.finish();
}

}  // namespace gpuccl::io
