#include "io/png/png_label_writer.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/files/descriptor.hpp"
#include "io/image/label_streams.hpp"
#include "io/png/png_output.hpp"

namespace gpuccl::io {
namespace {

using Bytes = std::vector<std::byte>;

// A chunk is its length, its name of four letters, data, and a checksum of name and data.
constexpr std::size_t kBeforeData = 8, kAfterData = 4;
constexpr std::size_t kMostData = std::size_t{1} << 30;

void put_big_endian(std::uint32_t number, std::byte* out) {
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<std::byte>(number >> shift & 0xff);
}

/// Writes around the data of a chunk what belongs there.
void frame(std::string_view name, std::span<std::byte> chunk) {
  const std::size_t data = chunk.size() - kBeforeData - kAfterData;
  put_big_endian(static_cast<std::uint32_t>(data), chunk.data());
  std::memcpy(chunk.data() + 4, name.data(), 4);
  put_big_endian(libdeflate_crc32(0, chunk.data() + 4, 4 + data), chunk.data() + kBeforeData + data);
}

void append_chunk(std::string_view name, std::span<const std::byte> data, Bytes& to) {
  const std::size_t begin = to.size();
  to.resize(begin + kBeforeData + data.size() + kAfterData);
  std::copy(data.begin(), data.end(), to.data() + begin + kBeforeData);
  frame(name, std::span(to).subspan(begin));
}

/// A strip as a chunk. Always from runs: so few labels fit a PNG that most of its noise has one of them.
class PngEncoder final : public StripEncoder {
 public:
  PngEncoder(const MappedLabels& labels, const StripLayout& strips, const SampleRow& row)
      : blocks_(labels, strips, row) {}

  EncodedStrip encode(std::int64_t strip) override {
    blocks_.take(strip);
    RunDeflater& deflater = blocks_.deflater();
    const std::span<std::byte> chunk = deflater.blocks_between(kBeforeData, kAfterData);
    const std::uint32_t checksum = deflater.checksum().value();
    const std::span<std::byte> data = chunk.subspan(kBeforeData, chunk.size() - kBeforeData - kAfterData);
    if (data.size() <= kMostData) {
      frame("IDAT", chunk);
      return {chunk, checksum};
    }
    several_.clear();
    for (std::size_t at = 0; at < data.size(); at += kMostData)
      append_chunk("IDAT", data.subspan(at, std::min(kMostData, data.size() - at)), several_);
    return {several_, checksum};
  }

 private:
  RunBlocks blocks_;
  Bytes several_;
};

class PngFile final : public StripFile {
 public:
  PngFile(const StripLayout& strips, const PngHeader& header, std::int64_t row_bytes)
      : StripFile(strips, Places::after_others), row_bytes_(row_bytes) {
    const PngOutput header_only(
        [this](const void* data, std::size_t bytes) {
          const auto* const begin = static_cast<const std::byte*>(data);
          head_.insert(head_.end(), begin, begin + bytes);
        },
        header);
    append_chunk("IDAT", zlib_begin(), head_);
  }

  Bytes head() const override { return head_; }
  void append(std::int64_t strip, const StripEntry& entry) override {
    checksum_.append(static_cast<std::uint64_t>(row_bytes_ * strips().rows(strip)),
                     Adler32(static_cast<std::uint32_t>(entry.checksum)));
  }
  void write_tail(int file, std::uint64_t strips_end) const override {
    Bytes tail;
    append_chunk("IDAT", zlib_end(checksum_), tail);
    append_chunk("IEND", {}, tail);
    write_all_at(file, tail.data(), tail.size(), strips_end);
  }

 private:
  std::int64_t row_bytes_;  // with the filter byte
  Bytes head_;
  Adler32 checksum_;
};

}  // namespace

LabelFile png_label_file(const Extent& extent, const WriteOptions& options) {
  if (extent.depth > 1)
    throw Error(Failure::data, "PNG can hold only one slice, and this volume has " +
                                   std::to_string(extent.depth) + "; write a .tiff");
  if (kind_of(options.type) != 'u' || bits_per_sample(options.type) > 32)
    throw Error(Failure::data, "PNG cannot hold " + long_name(options.type) + "; write a .tiff");
  const int bits = bits_per_sample(options.type);
  const SampleRow row{.width = extent.width, .sample_bytes = bits / 8, .png = true};
  auto file = std::make_unique<PngFile>(StripLayout(extent, bits, options.strips_at_once),
                                        PngHeader{.width = extent.width,
                                                  .height = extent.height,
                                                  .bits = bits,
                                                  .resolution = options.geometry.resolution},
                                        row.bytes());
  const StripLayout& strips = file->strips();
  return {std::move(file), [&strips, row](const MappedLabels& labels, int /*file*/) {
            return std::make_unique<PngEncoder>(labels, strips, row);
          }};
}

}  // namespace gpuccl::io
