#include "io/image/label_streams.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {
namespace {

using Samples = std::vector<std::byte>;

StripLayout strips_of(const Extent& extent, const WriteOptions& options) {
  return {extent, bits_per_sample(options.type), options.strips_at_once};
}

void append(Samples& to, std::span<const std::byte> more) { to.insert(to.end(), more.begin(), more.end()); }

Samples joined(const std::string& text, std::span<const std::byte> bytes = {}) {
  Samples all;
  append(all, std::as_bytes(std::span(text)));
  append(all, bytes);
  return all;
}

/// Draws the samples of strips.
class SampleEncoder final : public StripEncoder {
 public:
  SampleEncoder(const MappedLabels& labels, const StripLayout& strips, LabelType type)
      : labels_(labels), strips_(strips), type_(type) {}

  EncodedStrip encode(std::int64_t strip) override {
    samples_.resize(strips_.bytes(strip));
    render(labels_, type_, strips_.first_row(strip), strips_.rows(strip), samples_.data());
    return {samples_};
  }

 private:
  const MappedLabels labels_;
  const StripLayout& strips_;
  LabelType type_;
  Samples samples_;
};

class RawFile final : public StripFile {
 public:
  RawFile(std::string head, const StripLayout& strips)
      : StripFile(strips, StripPlacement::known), head_(std::move(head)) {}
  Samples head() const override { return joined(head_); }

 private:
  std::string head_;
};

/// Encodes a strip as blocks of the stream. Samples are rendered only for their checksum.
class GzipEncoder final : public StripEncoder {
 public:
  GzipEncoder(const MappedLabels& labels, const StripLayout& strips, LabelType type)
      : samples_(labels, strips, type),
        blocks_(labels, strips, {.width = strips.extent.width, .sample_bytes = bits_per_sample(type) / 8}) {}

  EncodedStrip encode(std::int64_t strip) override {
    blocks_.take(strip);
    const std::span<const std::byte> samples = samples_.encode(strip).bytes;
    return {blocks_.deflater().blocks(), libdeflate_crc32(0, samples.data(), samples.size())};
  }

 private:
  SampleEncoder samples_;
  RunBlocks blocks_;
};

class GzipFile final : public StripFile {
 public:
  GzipFile(std::string head, std::span<const std::byte> first, const StripLayout& strips)
      : StripFile(strips, StripPlacement::after_others),
        head_(joined(head, gzip_begin(first))),
        bytes_(first.size()),
        checksum_(libdeflate_crc32(0, first.data(), first.size())) {}

  Samples head() const override { return head_; }
  void append(std::int64_t strip, const StripEntry& entry) override {
    const std::size_t bytes = strips().bytes(strip);
    checksum_ = static_cast<std::uint32_t>(crc32_combine(
        checksum_, static_cast<std::uint32_t>(entry.checksum), static_cast<std::int64_t>(bytes)));
    bytes_ += bytes;
  }
  void write_tail(int file, std::uint64_t strips_end) const override {
    const Samples end = gzip_end(checksum_, bytes_);
    write_all_at(file, end.data(), end.size(), strips_end);
  }

 private:
  Samples head_;
  std::uint64_t bytes_;  // before compression
  std::uint32_t checksum_;
};

class ZlibEncoder final : public StripEncoder {
 public:
  ZlibEncoder(const MappedLabels& labels, const StripLayout& strips, LabelType type)
      : blocks_(labels, strips, {.width = strips.extent.width, .sample_bytes = bits_per_sample(type) / 8}) {}

  EncodedStrip encode(std::int64_t strip) override {
    blocks_.take(strip);
    const std::span<const std::byte> blocks = blocks_.deflater().blocks();
    return {blocks, blocks_.deflater().checksum().value()};
  }

 private:
  RunBlocks blocks_;
};

/// Compresses samples of 64 bits, which blocks made from runs do not hold. Blocks end on a byte and do not
/// refer to others.
template <std::uint32_t (*checksum)(std::uint32_t, const void*, std::size_t), std::uint32_t first>
class WideEncoder final : public StripEncoder {
 public:
  WideEncoder(const MappedLabels& labels, const StripLayout& strips, LabelType type)
      : samples_(labels, strips, type) {
    constexpr int kNoHeader = -15, kMemory = 8;
    if (deflateInit2(&stream_, 1, Z_DEFLATED, kNoHeader, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error(ErrorCode::memory, "not enough memory to compress values");
  }
  ~WideEncoder() override { deflateEnd(&stream_); }
  WideEncoder(const WideEncoder&) = delete;
  WideEncoder& operator=(const WideEncoder&) = delete;

  EncodedStrip encode(std::int64_t strip) override {
    constexpr uInt kMax = 1u << 30;
    const std::span<const std::byte> samples = samples_.encode(strip).bytes;
    std::size_t written = 0;
    for (std::size_t at = 0; at < samples.size(); at += stream_.total_in) {
      deflateReset(&stream_);
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(samples.data() + at));
      stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(samples.size() - at, kMax));
      blocks_.resize(written + deflateBound(&stream_, stream_.avail_in) + kFlush);
      stream_.next_out = reinterpret_cast<Bytef*>(blocks_.data() + written);
      stream_.avail_out = static_cast<uInt>(blocks_.size() - written);
      if (deflate(&stream_, Z_FULL_FLUSH) != Z_OK || stream_.avail_in > 0)
        throw Error(ErrorCode::internal, "zlib does not compress values");
      written += stream_.total_out;
    }
    return {std::span(blocks_).first(written), checksum(first, samples.data(), samples.size())};
  }

 private:
  static constexpr std::size_t kFlush = 16;  // bytes of an empty block

  SampleEncoder samples_;
  z_stream stream_{};
  std::vector<std::byte> blocks_;
};

class ZlibFile final : public StripFile {
 public:
  ZlibFile(std::string head, std::size_t size_at, const StripLayout& strips)
      : StripFile(strips, StripPlacement::after_others), head_(std::move(head)), size_at_(size_at) {}

  Samples head() const override { return joined(head_, zlib_begin()); }
  void append(std::int64_t strip, const StripEntry& entry) override {
    checksum_.append(strips().bytes(strip), Adler32(static_cast<std::uint32_t>(entry.checksum)));
  }
  void write_tail(int file, std::uint64_t strips_end) const override {
    const Samples end = zlib_end(checksum_);
    write_all_at(file, end.data(), end.size(), strips_end);
    std::string size = std::to_string(strips_end + end.size() - head_.size());
    size.insert(0, kSizeDigits - size.size(), '0');
    write_all_at(file, size.data(), size.size(), size_at_);
  }

 private:
  std::string head_;
  std::size_t size_at_;
  Adler32 checksum_;
};

bool are_wide(LabelType type) { return bits_per_sample(type) > 32; }

template <class Encoder>
LabelFile label_file(std::unique_ptr<StripFile> file, LabelType type) {
  const StripLayout& strips = file->strips();
  return {std::move(file), [&strips, type](const MappedLabels& labels, int /*file*/) {
            return std::make_unique<Encoder>(labels, strips, type);
          }};
}

}  // namespace

LabelFile raw_label_file(std::string head, const Extent& extent, const WriteOptions& options) {
  return label_file<SampleEncoder>(std::make_unique<RawFile>(std::move(head), strips_of(extent, options)),
                                   options.type);
}

LabelFile gzip_label_file(std::string head, std::span<const std::byte> first, const Extent& extent,
                          const WriteOptions& options) {
  auto file = std::make_unique<GzipFile>(std::move(head), first, strips_of(extent, options));
  return are_wide(options.type) ? label_file<WideEncoder<libdeflate_crc32, 0>>(std::move(file), options.type)
                                : label_file<GzipEncoder>(std::move(file), options.type);
}

LabelFile zlib_label_file(std::string head, std::size_t size_at, const Extent& extent,
                          const WriteOptions& options) {
  auto file = std::make_unique<ZlibFile>(std::move(head), size_at, strips_of(extent, options));
  return are_wide(options.type)
             ? label_file<WideEncoder<libdeflate_adler32, 1>>(std::move(file), options.type)
             : label_file<ZlibEncoder>(std::move(file), options.type);
}

}  // namespace gpuccl::io
