#include "io/png/png_source.hpp"

#include <algorithm>
#include <vector>

#include "io/image/limits.hpp"
#include "io/png/png_decoder.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1}
                                    << 16;  // rows handed over together, so that they stay in the cache

std::vector<double> luma_of_palette(png_structp png, png_infop info) {
  png_colorp colors = nullptr;
  int count = 0;
  png_get_PLTE(png, info, &colors, &count);
  std::vector<double> palette;
  palette.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) palette.push_back(luma(colors[i].red, colors[i].green, colors[i].blue));
  return palette;
}

SampleFormat format_of(png_structp png, png_infop info) {
  SampleFormat format;
  format.bits = png_get_bit_depth(png, info);
  format.channels = png_get_channels(png, info);
  const int color = png_get_color_type(png, info);
  if (color == PNG_COLOR_TYPE_PALETTE) {
    format.photometric = Photometric::palette;
    format.palette = luma_of_palette(png, info);
  } else if ((color & PNG_COLOR_MASK_COLOR) != 0) {
    format.photometric = Photometric::rgb;
  }
  return format;
}

Spacing spacing_of(png_structp png, png_infop info) {
  png_uint_32 x = 0, y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  Spacing spacing;
  if (png_get_pHYs(png, info, &x, &y, &unit) == 0) return spacing;
  const bool is_metric = unit == PNG_RESOLUTION_METER;
  spacing.unit = is_metric ? 3 : 1;  // a TIFF counts pixels a centimetre
  spacing.x_resolution = is_metric ? x / 100.0 : x;
  spacing.y_resolution = is_metric ? y / 100.0 : y;
  return spacing;
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

    format_ = format_of(png, header);
    check_format(format_);
    info_.format = "png";
    info_.extent = {static_cast<int>(width), static_cast<int>(height), 1};
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    info_.spacing = spacing_of(png, header);

    const double image_bytes = static_cast<double>(format_.row_bytes(width)) * height;
    check_deflate_ratio(image_bytes, file_->size());
    const bool interlaced = png_get_interlace_type(png, header) != PNG_INTERLACE_NONE;
    // libpng holds two or three rows of its own. An interlaced image has no finished row before the last
    // pass.
    buffer_bytes_ = format_.row_bytes(width) * (interlaced ? std::int64_t{height} + 3 : 4);
    check_memory(info_.extent, buffer_bytes_, options);
    const bool has_alpha = (png_get_color_type(png, header) & PNG_COLOR_MASK_ALPHA) != 0;
    if (options.warn && (has_alpha || png_get_valid(png, header, PNG_INFO_tRNS) != 0))
      options.warn("transparency ignored");
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return buffer_bytes_; }

  void decode(int, const Sink& sink) const override {
    PngDecoder decoder(*file_);
    decoder.read_header();
    const int passes = decoder.start_rows();
    // The file may have been replaced since its header was read.
    const auto pitch = static_cast<std::size_t>(format_.row_bytes(info_.extent.width));
    if (png_get_rowbytes(decoder.png(), decoder.png_info()) != pitch ||
        png_get_image_height(decoder.png(), decoder.png_info()) !=
            static_cast<png_uint_32>(info_.extent.height))
      throw Error(Failure::data, "changed while it was read");

    const int height = info_.extent.height;
    const int batch =
        passes > 1 ? height : static_cast<int>(std::clamp<std::size_t>(kBatchBytes / pitch, 1, 64));
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

 private:
  std::shared_ptr<const InputFile> file_;
  ImageInfo info_;
  SampleFormat format_;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace

bool is_png(const InputFile& file) {
  png_byte signature[8];
  return file.read_at(0, signature, sizeof signature) == sizeof signature &&
         png_sig_cmp(signature, 0, 8) == 0;
}

std::unique_ptr<SampleSource> open_png(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<PngSource>(std::move(file), options);
}

}  // namespace gpuccl::io
