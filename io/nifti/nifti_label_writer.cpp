#include "io/nifti/nifti_label_writer.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "io/deflate/run_deflater.hpp"
#include "io/image/strips.hpp"
#include "io/nifti/nifti_label_header.hpp"

namespace gpuccl::io {
namespace {

using Samples = std::vector<std::byte>;

void add_little_endian(std::uint64_t value, std::size_t bytes, Samples& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i & 0xff));
}

/// Header of a gzip file (RFC 1952), then `head` as a block that is not compressed.
Samples gzip_begin(const Samples& head) {
  Samples begin;
  add_little_endian(0x00088b1f, 4, begin);      // Deflate; no name follows
  add_little_endian(0xff0000000000, 6, begin);  // no time, of no system
  add_little_endian(0, 1, begin);               // a block of bytes as they are, not the last
  add_little_endian(head.size(), 2, begin);
  add_little_endian(~head.size() & 0xffff, 2, begin);
  begin.insert(begin.end(), head.begin(), head.end());
  return begin;
}

/// An empty last block, the checksum of what all blocks hold, and how long that is.
Samples gzip_end(std::uint32_t checksum, std::uint64_t bytes) {
  Samples end = {std::byte{0x03}, std::byte{0x00}};
  add_little_endian(checksum, 4, end);
  add_little_endian(bytes & 0xffffffffu, 4, end);
  return end;
}

void tell(const WriteOptions& options, std::int64_t strip, const StripLayout& strips) {
  if (options.progress)
    options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
}

}  // namespace

void write_nifti_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                        const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const Samples head = nifti_label_header(extent, type, options.geometry);
  file.write(head.data(), head.size());
  const auto make = [&](Samples& samples, std::int64_t strip) {
    samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), samples.data());
  };
  const auto take = [&](Samples& samples, std::int64_t strip) {
    file.write(samples.data(), samples.size());
    tell(options, strip, strips);
  };
  for_each_strip<Samples>(strips, prepare_rows(labels), make, take);
}

// As in a PNG, the one stream is made strip by strip in parallel: no strip refers to another, and each ends
// on a byte. Always from runs; samples are drawn for their checksum alone, which runs do not tell.
void write_nifti_gz_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                           const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const SampleRow row{.width = extent.width, .sample_bytes = bits_per_sample(type) / 8};
  struct Slot {
    std::optional<RunDeflater> deflater;
    LabelRuns runs;
    std::span<const std::byte> blocks;
    Samples samples;
    std::uint32_t checksum = 0;
  };
  const Samples head = nifti_label_header(extent, type, options.geometry);
  std::uint64_t bytes = head.size();
  std::uint32_t checksum = libdeflate_crc32(0, head.data(), head.size());
  const auto make = [&](Slot& slot, std::int64_t strip) {
    if (!slot.deflater) slot.deflater.emplace(row);
    list_runs(labels, strips.first_row(strip), strips.rows(strip), slot.runs);
    slot.deflater->clear();
    slot.deflater->add(slot.runs);
    slot.blocks = slot.deflater->blocks();
    slot.samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), slot.samples.data());
    slot.checksum = libdeflate_crc32(0, slot.samples.data(), slot.samples.size());
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    file.write(slot.blocks.data(), slot.blocks.size());
    const auto made = static_cast<std::int64_t>(slot.samples.size());
    checksum = static_cast<std::uint32_t>(crc32_combine(checksum, slot.checksum, made));
    bytes += slot.samples.size();
    tell(options, strip, strips);
  };
  const Samples begin = gzip_begin(head);
  file.write(begin.data(), begin.size());
  for_each_strip<Slot>(strips, prepare_rows(labels), make, take);
  const Samples end = gzip_end(checksum, bytes);
  file.write(end.data(), end.size());
}

}  // namespace gpuccl::io
