#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/image/exif.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/png/png.hpp"
#include "io/png/png_pixels.hpp"

namespace gpuccl::io {
namespace {

// Bytes of rows that are passed on together, so that they stay in the cache.
constexpr std::size_t kBatchBytes = std::size_t{1} << 16;
// Maximum size for inflating in one piece.
constexpr std::uint64_t kMaxInOnePiece = std::uint64_t{48} << 20;

/// Reads the luma of each index. Returns none if the luma of every index is the index.
std::vector<double> luma_of_palette(png_structp png, png_infop info) {
  constexpr int kGrays = 256;
  png_colorp colors = nullptr;
  int count = 0;
  png_get_PLTE(png, info, &colors, &count);
  bool is_gray_ramp = count == kGrays;
  std::vector<double> palette;
  palette.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const png_color& color = colors[i];
    palette.push_back(luma(color.red, color.green, color.blue));
    is_gray_ramp = is_gray_ramp && color.red == i && color.green == i && color.blue == i;
  }
  return is_gray_ramp ? std::vector<double>() : palette;
}

SampleFormat format_of(png_structp png, png_infop info) {
  SampleFormat format;
  format.bits = png_get_bit_depth(png, info);
  format.channels = png_get_channels(png, info);
  const int color = png_get_color_type(png, info);
  if (color == PNG_COLOR_TYPE_PALETTE) {
    format.palette = luma_of_palette(png, info);
    if (!format.palette.empty()) format.photometric = Photometric::palette;
  } else if ((color & PNG_COLOR_MASK_COLOR) != 0) {
    format.photometric = Photometric::rgb;
  }
  return format;
}

Resolution resolution_of(png_structp png, png_infop info) {
  png_uint_32 x = 0, y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  if (png_get_pHYs(png, info, &x, &y, &unit) == 0) return {};
  if (unit != PNG_RESOLUTION_METER) return {x / 1.0, y / 1.0, ResolutionUnit::none};
  return {x / 100.0, y / 100.0, ResolutionUnit::centimetre};
}

/// Returns the offset of the data of a chunk in front of the pixels; 0 if there is none with this name.
std::uint64_t find_chunk(const InputFile& file, std::string_view wanted) {
  constexpr std::uint64_t kSignature = 8, kHeadBytes = 8, kChecksumBytes = 4;
  constexpr int kMaxChunks = 1000;
  std::uint64_t offset = kSignature;
  for (int i = 0; i < kMaxChunks; ++i) {
    std::array<unsigned char, kHeadBytes> head{};  // length, most significant byte first, and name
    if (file.read_at(offset, head.data(), head.size()) < head.size()) return 0;
    const std::string_view name(reinterpret_cast<const char*>(&head[4]), 4);
    if (name == wanted) return offset + kHeadBytes;
    if (name == "IDAT") return 0;
    std::uint64_t bytes = 0;
    for (int k = 0; k < 4; ++k) bytes = bytes << 8 | head[static_cast<std::size_t>(k)];
    offset += kHeadBytes + bytes + kChecksumBytes;
  }
  return 0;
}

/// Calls work(i) for i in [0, count) in parallel. Isolated: tasks of other images, which hold memory that is
/// counted once, do not run in between.
template <class Work>
void for_all(int count, Work work) {
  if (count == 1) return work(0);
  oneapi::tbb::this_task_arena::isolate([&] { oneapi::tbb::parallel_for(0, count, work); });
}

class PngSource final : public SampleSource {
 public:
  PngSource(std::shared_ptr<const InputFile> file, const ReadOptions& options) : file_(std::move(file)) {
    PngDecoder decoder(*file_);
    decoder.read_header();
    png_structp png = decoder.png();
    png_infop header = decoder.png_info();
    const png_uint_32 width = png_get_image_width(png, header), height = png_get_image_height(png, header);
    check_page_size(width, height, options.limits);

    describe("png", {static_cast<int>(width), static_cast<int>(height), 1}, format_of(png, header));
    check_format(format_);
    info_.checksums = {"CRC-32", "Adler-32"};
    info_.geometry.resolution = resolution_of(png, header);

    const double image_bytes = static_cast<double>(format_.row_bytes(width)) * height;
    check_deflate_ratio(image_bytes, file_->size());
    const bool interlaced = png_get_interlace_type(png, header) != PNG_INTERLACE_NONE;
    // libpng holds two or three rows of its own. An interlaced image has no finished row before the last
    // pass.
    const std::int64_t by_rows = format_.row_bytes(width) * (interlaced ? std::int64_t{height} + 3 : 4);
    check_memory(info_.extent, by_rows, options);
    layout_.pixel_bytes = static_cast<std::size_t>(std::max(1, format_.bits * format_.channels / 8));
    layout_.row_bytes = static_cast<std::size_t>(format_.row_bytes(width));
    layout_.height = height;
    const std::uint64_t in_one_piece = PngPixels::most_bytes(*file_, layout_);
    const auto memory = static_cast<std::uint64_t>(memory_limit(options.limits));
    in_one_piece_ = !interlaced && in_one_piece <= std::min(kMaxInOnePiece, memory / 8);
    buffer_bytes_ = in_one_piece_ ? std::max(by_rows, static_cast<std::int64_t>(in_one_piece)) : by_rows;
    const bool has_alpha = (png_get_color_type(png, header) & PNG_COLOR_MASK_ALPHA) != 0;
    if (options.warn && has_alpha && !options.planes.channel)
      options.warn("transparency ignored (channel " + std::to_string(format_.channels - 1) + ")");
    if (options.warn && png_get_valid(png, header, PNG_INFO_tRNS) != 0) options.warn("transparency ignored");
    if (options.warn) {
      if (find_chunk(*file_, "acTL") != 0) options.warn(kFirstImageOnly);
      if (const std::uint64_t exif = find_chunk(*file_, "eXIf"); exif != 0)
        warn_of_orientation(exif_orientation(*file_, exif), options.warn);
    }
    if (options.warn && !decoder.warning().empty()) options.warn("libpng: " + decoder.warning());
  }

  std::int64_t buffer_bytes() const override { return buffer_bytes_; }

  void decode(int, const Sink& sink) const override {
    PngDecoder decoder(*file_);
    open(decoder);
    if (in_one_piece_)
      if (std::optional<PngPixels> pixels = PngPixels::inflate(*file_, decoder.pixels_offset(), layout_))
        return hand_over(*pixels, sink);
    decode_rows(decoder, sink);
  }

  void decode_from_top(int, const Sink& sink) const override {
    PngDecoder decoder(*file_);
    open(decoder);
    decode_rows(decoder, sink);
  }

 private:
  void open(PngDecoder& decoder) const {
    decoder.read_header();
    // The file may have been replaced since its header was read.
    const int bits = png_get_bit_depth(decoder.png(), decoder.png_info());
    if (png_get_rowbytes(decoder.png(), decoder.png_info()) != layout_.row_bytes ||
        png_get_image_height(decoder.png(), decoder.png_info()) != layout_.height || bits != format_.bits)
      throw Error(ErrorCode::data, "changed while it was read");
  }

  int rows_in_batch() const {
    return static_cast<int>(std::clamp<std::size_t>(kBatchBytes / layout_.pitch(), 1, 64));
  }

  void decode_rows(PngDecoder& decoder, const Sink& sink) const {
    const int passes = decoder.start_rows();
    const int height = info_.extent.height;
    const std::size_t pitch = layout_.row_bytes;
    const int batch = passes > 1 ? height : rows_in_batch();
    std::vector<std::byte> rows(pitch * static_cast<std::size_t>(std::min(batch, height)));
    for (int pass = 1; pass < passes; ++pass)
      for (int y = 0; y < height; ++y) decoder.read_row(rows.data() + static_cast<std::size_t>(y) * pitch);
    for (int y = 0; y < height; y += batch) {
      const int count = std::min(batch, height - y);
      for (int i = 0; i < count; ++i) decoder.read_row(rows.data() + static_cast<std::size_t>(i) * pitch);
      sink({format_, y, count, rows.data(), pitch});
    }
    decoder.finish();
  }

  /// Undoes the filters in parts that do not depend on each other, if there are any, and hands over their
  /// rows.
  void hand_over(PngPixels& pixels, const Sink& sink) const {
    const int height = info_.extent.height, batch = rows_in_batch();
    std::vector<int> parts = {0};  // where they begin
    for (int y = batch; y < height; ++y)
      if (y - parts.back() >= batch && pixels.is_independent(static_cast<std::size_t>(y))) parts.push_back(y);
    parts.push_back(height);
    for_all(static_cast<int>(parts.size()) - 1, [&](int i) {
      const int begin = parts[static_cast<std::size_t>(i)], end = parts[static_cast<std::size_t>(i) + 1];
      pixels.restore(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
      for_all((end - begin + batch - 1) / batch, [&](int k) {
        const int y = begin + k * batch;
        hand_over(pixels, y, std::min(y + batch, end), sink);
      });
    });
  }

  void hand_over(PngPixels& pixels, int begin, int end, const Sink& sink) const {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    if (format_.bits == 16)
      for (std::size_t y = first; y < last; ++y) swap_bytes(16, pixels.row(y), layout_.row_bytes);
    sink({format_, begin, end - begin, pixels.row(first), layout_.pitch()});
    pixels.forget(first, last);
  }

  std::shared_ptr<const InputFile> file_;
  PngLayout layout_;
  bool in_one_piece_ = false;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_png(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<PngSource>(std::move(file), options);
}

const InputFormat kPngFormat{.word = "png",
                             .title = "PNG",
                             .extensions = {{{".png", LabelFormat::png}}},
                             .magic = {{{0, "\x89PNG\r\n\x1a\n"}}},
                             .open = open_png,
                             .is_2d = true,
                             .is_one_image = true};

}  // namespace gpuccl::io
