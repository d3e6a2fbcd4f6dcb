#include "io/image/raw_volume.hpp"

#include <string>

#include "gpuccl/types.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"

namespace gpuccl::io {
namespace {

class RawVolumeSource final : public SampleSource {
 public:
  RawVolumeSource(const RawVolume& volume, std::shared_ptr<const ByteSource> bytes,
                  std::shared_ptr<const GunzippedFile> compressed, std::int64_t memory)
      : format_(volume.format),
        raw_{std::move(bytes), volume.offset, volume.swapped},
        compressed_(std::move(compressed)),
        memory_(memory) {
    info_.format = volume.format_name;
    info_.extent = volume.extent;
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    info_.geometry = volume.geometry;
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return raw_buffer_bytes(format_, info_.extent); }
  std::int64_t held_bytes() const override { return compressed_ ? compressed_->held_bytes() : 0; }
  bool in_order() const override { return compressed_ && compressed_->is_streamed(); }
  void prepare() const override {
    if (compressed_) compressed_->prepare();
  }
  void decode(int z, const Sink& sink) const override {
    decode_raw(raw_, format_, info_.extent, z, in_order() ? 0 : decoding_memory(info_.extent, memory_), sink);
  }
  void decode_from_top(int z, const Sink& sink) const override {
    decode_raw(raw_, format_, info_.extent, z, 0, sink);
  }

 private:
  ImageInfo info_;
  SampleFormat format_;
  RawSamples raw_;
  std::shared_ptr<const GunzippedFile> compressed_;
  std::int64_t memory_;
};

/// With the offset of the one that is chosen.
RawVolume chosen_frame(const RawVolume& volume, const ReadOptions& options) {
  const std::int64_t frame =
      plane_place(static_cast<std::int64_t>(volume.frames), options.planes.frame, "volumes", "--frame");
  constexpr double kMost = 9007199254740992;  // 2^53, a file of more than that is none
  const double offset =
      static_cast<double>(volume.offset) + volume.sample_bytes() * static_cast<double>(frame);
  if (offset > kMost) throw Error(Failure::data, "the file is truncated");
  RawVolume chosen = volume;
  chosen.offset = static_cast<std::uint64_t>(offset);
  return chosen;
}

std::unique_ptr<SampleSource> checked(std::unique_ptr<SampleSource> source, const ReadOptions& options) {
  check_memory(source->info().extent, source->buffer_bytes() + source->held_bytes(), options);
  return source;
}

}  // namespace

double RawVolume::sample_bytes() const {
  return static_cast<double>(format.row_bytes(extent.width)) * extent.height * extent.depth;
}

std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume, std::shared_ptr<const InputFile> file,
                                              const ReadOptions& options) {
  const RawVolume chosen = chosen_frame(volume, options);
  const double end = volume.all_bytes() + static_cast<double>(volume.offset);
  const auto size = static_cast<double>(file->size());
  if (end > size) throw Error(Failure::data, "the file is truncated: " + claim(end, file->size()));
  if (end < size && options.warn) options.warn(kBytesIgnored);
  return checked(
      std::make_unique<RawVolumeSource>(chosen, std::move(file), nullptr, memory_limit(options.limits)),
      options);
}

std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume,
                                              std::shared_ptr<GunzippedFile> contents,
                                              const ReadOptions& options) {
  const RawVolume chosen = chosen_frame(volume, options);
  const double end = chosen.sample_bytes() + static_cast<double>(chosen.offset);
  check_deflate_ratio(end, contents->stored_bytes());
  // Behind one that is not the last come others.
  const bool is_last = options.planes.frame.value_or(0) + 1 >= volume.frames;
  const auto warn = [warn = options.warn] { warn(kBytesIgnored); };
  const std::int64_t memory = memory_limit(options.limits);
  contents->expect(static_cast<std::uint64_t>(end), memory, !options.any_order && !options.foreground.otsu,
                   is_last && options.warn ? std::function<void()>(warn) : nullptr);
  return checked(std::make_unique<RawVolumeSource>(chosen, contents, contents, memory), options);
}

}  // namespace gpuccl::io
