#include <cstddef>
#include <vector>

#include "io/deflater.hpp"
#include "io/imagej_description.hpp"
#include "io/label_formats.hpp"
#include "io/strips.hpp"
#include "io/tiff_output.hpp"

namespace gpuccl::io {
namespace {

// Of libdeflate: on labels of pages and volumes faster than level 1, smaller, and more costs more than it
// saves.
constexpr int kLevel = 2;

struct Slot {
  std::vector<std::byte> samples;
  std::vector<std::byte> compressed;
  std::size_t compressed_bytes = 0;
  Deflater deflater{kLevel};
};

}  // namespace

// Strips are rendered, and compressed by libdeflate, in parallel. The other compressions are libtiff's own,
// which works on one strip at a time.
void write_tiff_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                       const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  TiffOutput tiff(file, {.strips = StripLayout(extent, bits_per_sample(type)),
                         .bits_per_sample = bits_per_sample(type),
                         .compression = options.compression,
                         .spacing = options.spacing,
                         .description = imagej_description(extent, labels.count, options.spacing)});
  const StripLayout& strips = tiff.strips();

  const auto make = [&](Slot& slot, std::int64_t strip) {
    slot.samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), slot.samples.data());
    if (options.compression == Compression::deflate)
      slot.compressed_bytes =
          slot.deflater.compress(slot.samples.data(), slot.samples.size(), slot.compressed);
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    if (options.compression == Compression::deflate)
      tiff.write_compressed(strip, slot.compressed.data(), slot.compressed_bytes);
    else
      tiff.write_samples(strip, slot.samples.data(), slot.samples.size());
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  for_each_strip<Slot>(strips.count(), make, take);
}

}  // namespace gpuccl::io
