#include "io/image/raw_source.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/image/bit_order.hpp"
#include "io/image/each_slice.hpp"

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
    throw Error(Failure::data, "the file is truncated");
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

}  // namespace gpuccl::io
