#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <string>

#include "common/row_bits.hpp"
#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

using Rows = tbb::blocked_range<std::int64_t>;

/// Returns the rows divided into tasks.
Rows rows_of(Extent extent) {
  constexpr std::int64_t kWordsATask = std::int64_t{1} << 18;
  const std::int64_t rows = kWordsATask / std::max<std::int64_t>(1, words_per_row(extent.width));
  return Rows(0, extent.rows(), static_cast<std::size_t>(std::max<std::int64_t>(1, rows)));
}

void check(Extent extent) {
  if (extent.width < 0 || extent.height < 0 || extent.depth < 0)
    throw Error(ErrorCode::usage, "an axis of the image is shorter than 0");
}

std::size_t bytes_of(Extent extent) {
  check(extent);
  const std::int64_t row = words_per_row(extent.width) * std::int64_t{sizeof(std::uint32_t)};
  if (row > 0 && extent.rows() > std::numeric_limits<std::int64_t>::max() / row) throw std::bad_alloc();
  return static_cast<std::size_t>(extent.rows() * row);
}

/// Returns bits 0 to width % 32 - 1.
std::uint32_t last_bits(int width) { return (1u << (width % 32)) - 1; }

bool is_padded(const std::uint32_t* row, int width) {
  const std::int64_t words = words_per_row(width);
  std::int64_t at = width / 32;
  if (width % 32 != 0 && (row[at++] & ~last_bits(width)) != 0) return false;
  return std::all_of(row + at, row + words, [](std::uint32_t word) { return word == 0; });
}

std::int64_t count_in_row(const std::uint32_t* row, int width) {
  std::int64_t count = 0;
  int x = 0;
  for (; width - x >= 64; x += 64) {
    std::uint64_t word;
    std::memcpy(&word, row + x / 32, sizeof word);
    count += std::popcount(word);
  }
  if (width - x >= 32) {
    count += std::popcount(row[x / 32]);
    x += 32;
  }
  return x == width ? count : count + std::popcount(row[x / 32] & last_bits(width));
}

/// Writes all rows of a new volume from a buffer.
template <class WriteRow>
BitVolume from_buffer(std::span<const std::uint8_t> buffer, Extent extent, std::int64_t row_bytes,
                      std::int64_t row_pitch, WriteRow write_row) {
  check(extent);
  const std::int64_t pitch = row_pitch == 0 ? row_bytes : row_pitch;
  if (pitch < row_bytes) throw Error(ErrorCode::usage, "a row pitch shorter than a row");
  const auto size = static_cast<std::int64_t>(buffer.size());
  const bool is_empty =
      extent.width == 0 || extent.rows() == 0;  // the product of three axes may exceed 64 bits
  if (!is_empty && (size < row_bytes || (size - row_bytes) / pitch < extent.rows() - 1))
    throw Error(ErrorCode::usage,
                "a buffer of " + std::to_string(size) + " bytes is too short for the image");
  BitVolume volume(extent);
  if (is_empty) return volume;
  tbb::parallel_for(rows_of(extent), [&](const Rows& rows) {
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
      write_row(buffer.data() + row * pitch, volume.row(row));
  });
  return volume;
}

}  // namespace

BitVolume::BitVolume(Extent extent) : extent_(extent), row_pitch_(words_per_row(extent.width)) {
  const std::size_t bytes = bytes_of(extent);
  words_.reset(static_cast<std::uint32_t*>(std::calloc(std::max<std::size_t>(1, bytes), 1)));
  if (words_ == nullptr) throw std::bad_alloc();
  advise_huge_pages(words_.get(), bytes);
}

void BitVolume::set(int x, int y, int z, bool foreground) {
  std::uint32_t& word = row(y, z)[x / 32];
  const std::uint32_t bit = 1u << (x % 32);
  word = foreground ? word | bit : word & ~bit;
}

void check(BitView image) {
  check(image.extent);
  if (image.row_pitch % 2 != 0 || image.row_pitch < words_per_row(image.extent.width))
    throw Error(ErrorCode::usage, "a row pitch of " + std::to_string(image.row_pitch) +
                                      " words, which is odd or shorter than a row");
  const int width = image.extent.width;
  if (width % 64 == 0) return;  // no padding
  const bool padded = tbb::parallel_reduce(
      rows_of(image.extent), true,
      [&](const Rows& rows, bool so_far) {
        for (std::int64_t row = rows.begin(); so_far && row < rows.end(); ++row)
          so_far = is_padded(image.row(row), width);
        return so_far;
      },
      std::logical_and<>());
  if (!padded) throw Error(ErrorCode::usage, "foreground beyond the width of the image");
}

BitVolume from_bytes(std::span<const std::uint8_t> bytes, Extent extent, std::int64_t row_pitch) {
  const int width = extent.width;
  constexpr SampleRange<std::uint8_t> kForeground[] = {{1, 255}};
  return from_buffer(bytes, extent, width, row_pitch, [=](const std::uint8_t* from, std::uint32_t* to) {
    pack_samples<std::uint8_t>(reinterpret_cast<const std::byte*>(from), width, kForeground, false, to);
  });
}

BitVolume from_bits(std::span<const std::uint8_t> bits, Extent extent, BitOrder order,
                    std::int64_t row_pitch) {
  const int width = extent.width;
  const std::int64_t row_bytes = (std::int64_t{width} + 7) / 8;
  const auto ordered = [order](std::uint32_t byte) {
    if (order == BitOrder::lsb_first) return byte;
    byte = (byte & 0x0fu) << 4 | byte >> 4;
    byte = (byte & 0x33u) << 2 | (byte >> 2 & 0x33u);
    return (byte & 0x55u) << 1 | (byte >> 1 & 0x55u);
  };
  return from_buffer(bits, extent, row_bytes, row_pitch, [=](const std::uint8_t* from, std::uint32_t* to) {
    for (std::int64_t i = 0; i < row_bytes; ++i) to[i / 4] |= ordered(from[i]) << (i % 4 * 8);
    if (width % 32 != 0) to[width / 32] &= last_bits(width);
  });
}

void invert(BitVolume& image) {
  tbb::parallel_for(rows_of(image.extent()), [&](const Rows& rows) {
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
      invert_row(image.row(row), image.extent().width);
  });
}

std::int64_t count_foreground(BitView image) {
  return tbb::parallel_reduce(
      rows_of(image.extent), std::int64_t{0},
      [&](const Rows& rows, std::int64_t count) {
        for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
          count += count_in_row(image.row(row), image.extent.width);
        return count;
      },
      std::plus<>());
}

}  // namespace gpuccl
