#include "io/jpeg/jpeg_source.hpp"

#include <optional>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/jpeg_frame.hpp"
#include "io/image/limits.hpp"
#include "io/jpeg/jpeg_decoder.hpp"

namespace gpuccl::io {
namespace {

class JpegSource final : public SampleSource {
 public:
  JpegSource(std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : file_(std::move(file)), warn_(options.warn) {
    const std::optional<JpegFrame> frame = read_jpeg_frame(*file_, 0, file_->size());
    if (!frame) throw Error(Failure::data, "damaged (no frame in a JPEG)");
    check_page_size(static_cast<std::uint64_t>(frame->width), static_cast<std::uint64_t>(frame->height),
                    options.limits);
    if (frame->is_lossless()) throw Error(Failure::data, "a lossless JPEG; convert it to PNG or TIFF");
    if (frame->components != 1 && frame->components != 3)
      throw Error(Failure::data, "a JPEG of " + std::to_string(frame->components) +
                                     " channels, neither gray nor color; convert it to PNG or TIFF");
    format_.channels = frame->components;
    if (frame->components == 3) format_.photometric = Photometric::rgb;
    info_.format = "jpeg";
    info_.extent = {static_cast<int>(frame->width), static_cast<int>(frame->height), 1};
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    constexpr std::int64_t kRowsOfDecoder = 64;  // of blocks, before and after their colours are made
    buffer_bytes_ = frame->coefficient_bytes() + kRowsOfDecoder * format_.row_bytes(info_.extent.width);
    check_memory(info_.extent, buffer_bytes_, options);

    JpegDecoder decoder(*file_, nullptr);
    decoder.read_header();
    const jpeg_decompress_struct& header = decoder.header();
    if (header.output_width != static_cast<JDIMENSION>(info_.extent.width) ||
        header.output_height != static_cast<JDIMENSION>(info_.extent.height) ||
        header.num_components != format_.channels)
      throw Error(Failure::data, "damaged (two frames in a JPEG)");
    if (header.density_unit != 0 && header.X_density > 0 && header.Y_density > 0)
      info_.geometry.resolution = {
          double{1} * header.X_density, double{1} * header.Y_density,
          header.density_unit == 1 ? ResolutionUnit::inch : ResolutionUnit::centimetre};
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return buffer_bytes_; }

  void decode_from_top(int, const Sink& sink) const override {
    JpegDecoder decoder(*file_, warn_);
    decoder.read_header();
    decoder.start();
    std::vector<std::byte> row(static_cast<std::size_t>(format_.row_bytes(info_.extent.width)));
    for (int y = 0; y < info_.extent.height; ++y) {
      decoder.read_row(reinterpret_cast<unsigned char*>(row.data()));
      sink({format_, y, 1, row.data(), row.size()});
    }
    decoder.finish();
  }

 private:
  std::shared_ptr<const InputFile> file_;
  std::function<void(const std::string& line)> warn_;
  ImageInfo info_;
  SampleFormat format_;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<JpegSource>(std::move(file), options);
}

}  // namespace gpuccl::io
