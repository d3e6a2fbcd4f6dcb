#include "io/image/raw_volume.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

constexpr std::int64_t kBatchBytes = std::int64_t{1} << 18;

int rows_at_once(const SampleFormat& format, const Extent& extent) {
  return static_cast<int>(
      std::clamp<std::int64_t>(kBatchBytes / format.row_bytes(extent.width), 1, extent.height));
}

std::uint16_t swapped(std::uint16_t value) { return __builtin_bswap16(value); }
std::uint32_t swapped(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint64_t swapped(std::uint64_t value) { return __builtin_bswap64(value); }

void swap_triples(std::byte* samples, std::size_t bytes) {
  for (std::size_t at = 0; at + 3 <= bytes; at += 3) std::swap(samples[at], samples[at + 2]);
}

template <class Word>
void swap_all(std::byte* samples, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, samples + at, sizeof word);
    word = swapped(word);
    std::memcpy(samples + at, &word, sizeof word);
  }
}

}  // namespace

void swap_bytes(int bits, std::byte* samples, std::size_t bytes) {
  if (bits == 16) swap_all<std::uint16_t>(samples, bytes);
  if (bits == 24) swap_triples(samples, bytes);
  if (bits == 32) swap_all<std::uint32_t>(samples, bytes);
  if (bits == 64) swap_all<std::uint64_t>(samples, bytes);
}

void read_raw_rows(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z, int y,
                   int count, std::byte* out) {
  const auto pitch = static_cast<std::uint64_t>(format.row_bytes(extent.width));
  const auto row = static_cast<std::uint64_t>(z) * static_cast<std::uint64_t>(extent.height) +
                   static_cast<std::uint64_t>(y);
  const auto bytes = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(count);
  if (raw.bytes->read_at(raw.offset + row * pitch, out, bytes) != bytes)
    throw Error(ErrorCode::data, "the file is truncated");
  if (raw.reversed) reverse_bits(out, bytes, out);
  if (raw.swapped) swap_bytes(format.bits, out, bytes);
}

void decode_raw(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z,
                std::int64_t memory, const SampleSource::Sink& sink) {
  const int batch = rows_at_once(format, extent);
  const auto buffer_bytes = raw_buffer_bytes(format, extent);
  const auto decode_batch = [&](int i, std::byte* rows) {
    const int y = i * batch, count = std::min(batch, extent.height - y);
    read_raw_rows(raw, format, extent, z, y, count, rows);
    sink({format, y, count, rows, static_cast<std::size_t>(format.row_bytes(extent.width))});
  };
  const auto new_buffer = [&] {
    return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(buffer_bytes));
  };
  const int batches = (extent.height - 1) / batch + 1;
  if (memory == 0) {
    const auto rows = new_buffer();
    for (int i = 0; i < batches; ++i) decode_batch(i, rows.get());
  } else {
    for_each_part(batches, buffer_bytes, memory, [&](int i) { decode_batch(i, new_buffer().get()); });
  }
}

std::int64_t decoding_memory(const Extent& extent, std::int64_t limit) {
  return extent.depth == 1 ? std::min(limit, std::int64_t{256} << 20) : 0;
}

std::int64_t raw_buffer_bytes(const SampleFormat& format, const Extent& extent) {
  return format.row_bytes(extent.width) * rows_at_once(format, extent);
}

namespace {

class RawVolumeSource final : public SampleSource {
 public:
  RawVolumeSource(const RawVolume& volume, std::shared_ptr<const ByteSource> bytes,
                  std::shared_ptr<const GunzippedFile> compressed, std::int64_t memory)
      : raw_{std::move(bytes), volume.offset, volume.swapped},
        compressed_(std::move(compressed)),
        memory_(memory) {
    describe(volume.format_name, volume.extent, volume.format);
    info_.geometry = volume.geometry;
    info_.is_image_stack = volume.is_image_stack;
    if (compressed_) info_.checksums = {compressed_->checksum()};
  }

  std::int64_t buffer_bytes() const override { return raw_buffer_bytes(format_, info_.extent); }
  std::int64_t held_bytes() const override { return compressed_ ? compressed_->held_bytes() : 0; }
  bool in_order() const override { return compressed_ && compressed_->is_streamed(); }
  void decode(int z, const Sink& sink) const override {
    decode_raw(raw_, format_, info_.extent, z, in_order() ? 0 : decoding_memory(info_.extent, memory_), sink);
  }
  void decode_from_top(int z, const Sink& sink) const override {
    decode_raw(raw_, format_, info_.extent, z, 0, sink);
  }

 private:
  RawSamples raw_;
  std::shared_ptr<const GunzippedFile> compressed_;
  std::int64_t memory_;
};

/// Returns the volume with the offset of the chosen frame.
RawVolume chosen_frame(const RawVolume& volume, const ReadOptions& options) {
  const std::int64_t frame = resolve_index(static_cast<std::int64_t>(volume.frames), options.planes.frame,
                                           "volumes", "frame", options.planes.options, volume.has_time);
  constexpr double kMax = 9007199254740992;  // 2^53, a file of more than that is none
  const double offset =
      static_cast<double>(volume.offset) + volume.sample_bytes() * static_cast<double>(frame);
  if (offset > kMax) throw Error(ErrorCode::data, "the file is truncated");
  RawVolume chosen = volume;
  chosen.offset = static_cast<std::uint64_t>(offset);
  return chosen;
}

std::unique_ptr<SampleSource> chosen_channel(std::unique_ptr<SampleSource> source, const RawVolume& volume,
                                             const ReadOptions& options) {
  check_memory(source->info().extent, source->buffer_bytes() + source->held_bytes(), options);
  const PlaneChoice choice = with_channel_number(options.planes, volume.channel_names);
  check_one_series(choice);
  if (volume.format.channels > colors_of(volume.format.photometric))
    return open_channel(
        std::move(source),
        static_cast<int>(resolve_index(volume.format.channels, choice.channel,
                                       channels_in_words(volume.channel_names), "channel", choice.options)));
  return choice.channel ? open_channel(std::move(source), *choice.channel) : std::move(source);
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
  if (end > size) throw Error(ErrorCode::data, "the file is truncated: " + claim(end, file->size()));
  if (end < size && options.warn) options.warn(kBytesIgnored);
  return chosen_channel(
      std::make_unique<RawVolumeSource>(chosen, std::move(file), nullptr, memory_limit(options.limits)),
      volume, options);
}

std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume,
                                              std::shared_ptr<GunzippedFile> contents,
                                              const ReadOptions& options) {
  const RawVolume chosen = chosen_frame(volume, options);
  const double end = chosen.sample_bytes() + static_cast<double>(chosen.offset);
  check_deflate_ratio(volume.all_bytes() + static_cast<double>(volume.offset), contents->stored_bytes());
  // Other volumes follow one that is not the last.
  const bool is_last = options.planes.frame.value_or(0) + 1 >= volume.frames;
  const auto warn = [warn = options.warn] { warn(kBytesIgnored); };
  const std::int64_t memory = memory_limit(options.limits);
  const std::function<void()> on_more = is_last && options.warn ? std::function<void()>(warn) : nullptr;
  const bool in_order = !options.any_order && !options.foreground.otsu;
  if (volume.frames > 1)
    contents->expect_part(chosen.offset, static_cast<std::uint64_t>(end), memory, in_order, options.kept,
                          on_more);
  else
    contents->expect(static_cast<std::uint64_t>(end), memory, in_order, on_more);
  return chosen_channel(std::make_unique<RawVolumeSource>(chosen, contents, contents, memory), volume,
                        options);
}

}  // namespace gpuccl::io
