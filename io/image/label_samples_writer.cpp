#include "io/image/label_samples_writer.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <vector>

#include "io/deflate/stream_frame.hpp"
#include "io/image/run_blocks.hpp"

namespace gpuccl::io {
namespace {

using Samples = std::vector<std::byte>;

struct Slot : RunBlocks {
  Samples samples;
  std::uint32_t checksum = 0;
};

void tell(const WriteOptions& options, std::int64_t strip, const StripLayout& strips) {
  if (options.progress)
    options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
}

void write(AtomicFile& file, std::span<const std::byte> bytes) { file.write(bytes.data(), bytes.size()); }

/// As in a PNG, the one stream is made strip by strip in parallel: no strip refers to another, and each ends
/// on a byte. Always from runs. `checked(slot, strip)` in parallel, `taken(slot, strip)` in order.
template <class Checked, class Taken>
void write_blocks(AtomicFile& file, const MappedLabels& labels, LabelType type, const WriteOptions& options,
                  Checked checked, Taken taken) {
  const Extent extent = labels.labels.extent();
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const SampleRow row{.width = extent.width, .sample_bytes = bits_per_sample(type) / 8};
  const auto make = [&](Slot& slot, std::int64_t strip) {
    slot.make(labels, strips, strip, row);
    checked(slot, strips, strip);
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    write(file, slot.blocks);
    taken(slot, strips, strip);
    tell(options, strip, strips);
  };
  for_each_strip<Slot>(strips, prepare_rows(labels), make, take);
}

}  // namespace

void write_label_samples(AtomicFile& file, const MappedLabels& labels, LabelType type,
                         const WriteOptions& options) {
  const StripLayout strips(labels.labels.extent(), bits_per_sample(type), options.strips_at_once);
  const auto make = [&](Samples& samples, std::int64_t strip) {
    samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), samples.data());
  };
  const auto take = [&](Samples& samples, std::int64_t strip) {
    write(file, samples);
    tell(options, strip, strips);
  };
  for_each_strip<Samples>(strips, prepare_rows(labels), make, take);
}

// Samples are drawn for their checksum alone, which runs do not tell.
void write_gzip_label_samples(AtomicFile& file, std::span<const std::byte> head, const MappedLabels& labels,
                              LabelType type, const WriteOptions& options) {
  std::uint64_t bytes = head.size();
  std::uint32_t checksum = libdeflate_crc32(0, head.data(), head.size());
  write(file, gzip_begin(head));
  write_blocks(
      file, labels, type, options,
      [&](Slot& slot, const StripLayout& strips, std::int64_t strip) {
        slot.samples.resize(strips.bytes(strip));
        render(labels, type, strips.first_row(strip), strips.rows(strip), slot.samples.data());
        slot.checksum = libdeflate_crc32(0, slot.samples.data(), slot.samples.size());
      },
      [&](Slot& slot, const StripLayout&, std::int64_t) {
        const auto made = static_cast<std::int64_t>(slot.samples.size());
        checksum = static_cast<std::uint32_t>(crc32_combine(checksum, slot.checksum, made));
        bytes += slot.samples.size();
      });
  write(file, gzip_end(checksum, bytes));
}

void write_zlib_label_samples(AtomicFile& file, const MappedLabels& labels, LabelType type,
                              const WriteOptions& options) {
  Adler32 checksum;
  write(file, zlib_begin());
  write_blocks(
      file, labels, type, options, [](Slot&, const StripLayout&, std::int64_t) {},
      [&](Slot& slot, const StripLayout& strips, std::int64_t strip) {
        checksum.append(strips.bytes(strip), slot.deflater->checksum());
      });
  write(file, zlib_end(checksum));
}

std::int64_t bytes_of_gzip_strip(const StripLayout& strips, std::int64_t runs) {
  return bytes_of_zlib_strip(strips, runs) + strips.rows_per_strip * strips.row_bytes;
}

std::int64_t bytes_of_zlib_strip(const StripLayout& strips, std::int64_t runs) {
  return RunDeflater::bytes_of(strips.rows_per_strip * runs);
}

}  // namespace gpuccl::io
