#include "io/image/channel_source.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/image_axes.hpp"

namespace gpuccl::io {
namespace {

SampleFormat gray(const SampleFormat& format) {
  SampleFormat one = format;
  one.channels = 1;
  if (format.photometric != Photometric::min_is_white) one.photometric = Photometric::min_is_black;
  one.palette.clear();
  return one;
}

class ChannelSource final : public SampleSource {
 public:
  ChannelSource(std::unique_ptr<SampleSource> source, int channel)
      : source_(std::move(source)),
        channel_(channel),
        info_(source_->info()),
        format_(gray(source_->format(0))) {
    info_.photometric = name_of(format_.photometric);
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  Extent slice_extent(int z) const override { return source_->slice_extent(z); }
  std::int64_t buffer_bytes() const override {
    return source_->buffer_bytes() + format_.row_bytes(info_.extent.width);
  }
  std::int64_t held_bytes() const override { return source_->held_bytes(); }
  bool in_order() const override { return source_->in_order(); }
  void prepare() const override { source_->prepare(); }
  void decode(int z, const Sink& sink) const override {
    source_->decode(z, [&](const SampleRows& rows) { pass(z, rows, sink); });
  }
  void decode_from_top(int z, const Sink& sink) const override {
    source_->decode_from_top(z, [&](const SampleRows& rows) { pass(z, rows, sink); });
  }

 private:
  void pass(int z, const SampleRows& rows, const Sink& sink) const {
    const auto sample = static_cast<std::size_t>(format_.bits / 8);
    const std::size_t pixel = sample * static_cast<std::size_t>(rows.format.channels);
    std::vector<std::byte> row(sample * static_cast<std::size_t>(slice_extent(z).width));
    for (int i = 0; i < rows.count; ++i) {
      const std::byte* from =
          rows.data + static_cast<std::size_t>(i) * rows.pitch + sample * static_cast<std::size_t>(channel_);
      for (std::size_t to = 0; to < row.size(); to += sample, from += pixel)
        std::memcpy(&row[to], from, sample);
      sink({format_, rows.y + i, 1, row.data(), row.size()});
    }
  }

  std::unique_ptr<SampleSource> source_;
  int channel_;
  ImageInfo info_;
  SampleFormat format_;
};

}  // namespace

std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel) {
  const SampleFormat& format = source->format(0);
  plane_place(format.channels, channel, "channels", "--channel");
  if (format.channels == 1) return source;
  if (format.bits % 8 != 0)
    throw Error(Failure::data, "has channels of " + std::to_string(format.bits) +
                                   " bits; save the channel to label as a separate file");
  return std::make_unique<ChannelSource>(std::move(source), channel);
}

}  // namespace gpuccl::io
