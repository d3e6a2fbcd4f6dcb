#include "io/image/source_part.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/image_axes.hpp"

namespace gpuccl::io {
namespace {

/// Passes everything on.
class SourcePart : public SampleSource {
 public:
  explicit SourcePart(std::unique_ptr<SampleSource> source)
      : source_(std::move(source)), info_(source_->info()) {}

  const ImageInfo& info() const override { return info_; }
  std::int64_t buffer_bytes() const override { return source_->buffer_bytes(); }
  std::int64_t held_bytes() const override { return source_->held_bytes(); }
  bool in_order() const override { return source_->in_order(); }
  void prepare() const override { source_->prepare(); }

 protected:
  const SampleSource& source() const { return *source_; }
  ImageInfo& own_info() { return info_; }

 private:
  std::unique_ptr<SampleSource> source_;
  ImageInfo info_;
};

class Slices final : public SourcePart {
 public:
  Slices(std::unique_ptr<SampleSource> source, const PageRange& range) : SourcePart(std::move(source)) {
    check_range(range, info().extent.depth);
    first_ = static_cast<int>(range.begin);
    own_info().extent.depth = static_cast<int>(range.end - range.begin);
    if (info().extent.depth == 1) own_info().geometry.has_slice_axis = false;
    if (std::optional<Orientation>& place = own_info().geometry.orientation)
      place->origin = place->at({0, 0, static_cast<double>(first_)});
  }

  const SampleFormat& format(int z) const override { return source().format(first_ + z); }
  Extent slice_extent(int z) const override { return source().slice_extent(first_ + z); }
  void decode(int z, const Sink& sink) const override { source().decode(first_ + z, sink); }
  void decode_from_top(int z, const Sink& sink) const override { source().decode_from_top(first_ + z, sink); }
  /// Groups begin at multiples of their depth here and in the source.
  int group_depth() const override {
    const int depth = source().group_depth();
    return first_ % depth == 0 ? depth : 1;
  }
  void decode_group(int z0, int z1, const GroupSink& sink) const override {
    source().decode_group(first_ + z0, first_ + z1,
                          [&](int z, const SampleRows& rows) { sink(z - first_, rows); });
  }

 private:
  int first_ = 0;
};

class Indices final : public SourcePart {
 public:
  explicit Indices(std::unique_ptr<SampleSource> source)
      : SourcePart(std::move(source)), format_(this->source().format(0)) {
    format_.photometric = Photometric::min_is_black;
    format_.palette.clear();
  }

  const SampleFormat& format(int) const override { return format_; }
  Extent slice_extent(int z) const override { return source().slice_extent(z); }
  void decode(int z, const Sink& sink) const override { source().decode(z, as_indices(sink)); }
  void decode_from_top(int z, const Sink& sink) const override {
    source().decode_from_top(z, as_indices(sink));
  }

 private:
  Sink as_indices(const Sink& sink) const {
    return [this, &sink](const SampleRows& rows) {
      sink({format_, rows.y, rows.count, rows.data, rows.pitch});
    };
  }

  SampleFormat format_;
};

}  // namespace

std::unique_ptr<SampleSource> open_slices(std::unique_ptr<SampleSource> source, const PageRange& range) {
  return std::make_unique<Slices>(std::move(source), range);
}

std::unique_ptr<SampleSource> open_indices(std::unique_ptr<SampleSource> source) {
  return std::make_unique<Indices>(std::move(source));
}

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
