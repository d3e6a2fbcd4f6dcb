#include <libdeflate.h>
#include <png.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/files/descriptor.hpp"
#include "io/image/label_streams.hpp"
#include "io/png/png.hpp"

namespace gpuccl::io {

// libpng reports errors by longjmp. No function that calls setjmp has locals with destructors, and no
// exception passes through libpng: the first one is kept in failure_.

PngOutput::PngOutput(AtomicFile& file, const PngHeader& header)
    : PngOutput([&file](const void* data, std::size_t bytes) { file.write(data, bytes); }, header) {}

PngOutput::PngOutput(Sink sink, const PngHeader& header) : sink_(std::move(sink)) {
  png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
  if (info_ == nullptr) {
    png_destroy_write_struct(&png_, nullptr);
    throw std::bad_alloc();
  }
  try {
    write_header(header);
  } catch (...) {
    png_destroy_write_struct(&png_, &info_);
    throw;
  }
}

PngOutput::~PngOutput() { png_destroy_write_struct(&png_, &info_); }

void PngOutput::write_header(const PngHeader& header) {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  png_set_write_fn(png_, this, write, flush);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // Filters do not help labels and bits, whose runs of equal samples Deflate compresses well.
  png_set_filter(png_, 0, header.is_flat ? PNG_FILTER_NONE : PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_compression_level(png_, header.level);
  png_set_IHDR(png_, info_, static_cast<png_uint_32>(header.width), static_cast<png_uint_32>(header.height),
               header.bits, header.color == PngColor::rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const Resolution& resolution = header.resolution;
  if (resolution.unit != ResolutionUnit::none && resolution.is_known()) {
    const double per_meter = resolution.unit == ResolutionUnit::inch ? 1 / 0.0254 : 100;
    const double x = std::round(resolution.x * per_meter), y = std::round(resolution.y * per_meter);
    if (x <= PNG_UINT_31_MAX && y <= PNG_UINT_31_MAX)
      png_set_pHYs(png_, info_, static_cast<png_uint_32>(x), static_cast<png_uint_32>(y),
                   PNG_RESOLUTION_METER);
  }
  png_write_info(png_, info_);
  if (header.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
}

void PngOutput::write_rows(const void* data, std::size_t row_bytes, std::size_t rows) {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  const auto* row = static_cast<const png_byte*>(data);
  for (const png_byte* end = row + row_bytes * rows; row != end; row += row_bytes) png_write_row(png_, row);
}

void PngOutput::finish() {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  png_write_end(png_, info_);
}

void PngOutput::write(png_struct_def* png, unsigned char* data, std::size_t bytes) {
  auto& output = *static_cast<PngOutput*>(png_get_io_ptr(png));
  try {
    output.sink_(data, bytes);
    return;
  } catch (...) {
    output.failure_ = std::current_exception();
  }
  png_error(png, "write error");
}

void PngOutput::flush(png_struct_def*) {}

void PngOutput::fail(png_struct_def* png, const char* message) {
  auto& output = *static_cast<PngOutput*>(png_get_error_ptr(png));
  output.message_ = message;
  png_longjmp(png, 1);
}

void PngOutput::ignore(png_struct_def*, const char*) {}

void PngOutput::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
  throw Error(ErrorCode::io, "cannot write (" + message_ + ")");
}

namespace {

using Bytes = std::vector<std::byte>;

// A chunk is its length, its name of four letters, data, and a checksum of name and data.
constexpr std::size_t kBeforeData = 8, kAfterData = 4;
constexpr std::size_t kMaxData = std::size_t{1} << 30;

void put_big_endian(std::uint32_t number, std::byte* out) {
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<std::byte>(number >> shift & 0xff);
}

/// Writes length, name and checksum of a chunk around its data.
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

/// Encodes a strip as a chunk. Always from runs, because even noise in a PNG has mostly one of its few
/// labels.
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
    if (data.size() <= kMaxData) {
      frame("IDAT", chunk);
      return {chunk, checksum};
    }
    several_.clear();
    for (std::size_t at = 0; at < data.size(); at += kMaxData)
      append_chunk("IDAT", data.subspan(at, std::min(kMaxData, data.size() - at)), several_);
    return {several_, checksum};
  }

 private:
  RunBlocks blocks_;
  Bytes several_;
};

class PngFile final : public StripFile {
 public:
  PngFile(const StripLayout& strips, const PngHeader& header, std::int64_t row_bytes)
      : StripFile(strips, StripPlacement::after_others), row_bytes_(row_bytes) {
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
    throw Error(ErrorCode::data, "PNG can hold only one slice, and this volume has " +
                                     std::to_string(extent.depth) + "; write a .tiff");
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
