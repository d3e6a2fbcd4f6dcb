#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "gpuccl/types.hpp"

// Bit-packed binary images.
#pragma GCC visibility push(default)
namespace gpuccl {

/// A view of a bit-packed binary image or volume. Does not own memory.
///
/// Element x of a row is bit x % 32 (least significant first) of word x / 32. A row has at least
/// words_per_row() words, padded with zero bits; slices are contiguous.
struct BitView {
  const std::uint32_t* words = nullptr;
  Extent extent;
  std::int64_t row_pitch = 0;  // 32-bit words between rows; even

  /// Returns row `row` of all rows of all slices (Extent::rows).
  const std::uint32_t* row(std::int64_t row) const { return words + row * row_pitch; }
  const std::uint32_t* row(int y, int z) const {
    return row(static_cast<std::int64_t>(z) * extent.height + y);
  }
  bool operator()(int x, int y, int z = 0) const { return (row(y, z)[x / 32] >> (x % 32) & 1u) != 0; }

  /// Returns slices [z0, z1).
  BitView slices(int z0, int z1) const {
    return {row(0, z0), {extent.width, extent.height, z1 - z0}, row_pitch};
  }
};

/// Returns the number of 32-bit words per row of `width` elements, a multiple of two.
constexpr std::int64_t words_per_row(std::int64_t width) { return (width + 63) / 64 * 2; }

/// A bit-packed image that owns its memory.
class BitVolume {
 public:
  BitVolume() = default;
  /// Creates an image without foreground. Throws Error (usage) if an axis is below 0.
  explicit BitVolume(Extent extent);

  const Extent& extent() const { return extent_; }
  std::int64_t row_pitch() const { return row_pitch_; }
  std::int64_t bytes() const { return extent_.rows() * row_pitch_ * 4; }

  /// Returns a row for writing. The padding bits beyond `width` are zero; callers must keep them so.
  std::uint32_t* row(std::int64_t row) { return words_.get() + row * row_pitch_; }
  std::uint32_t* row(int y, int z) { return row(static_cast<std::int64_t>(z) * extent_.height + y); }
  const std::uint32_t* row(std::int64_t row) const { return words_.get() + row * row_pitch_; }

  void set(int x, int y, int z = 0, bool foreground = true);
  bool operator()(int x, int y, int z = 0) const { return view()(x, y, z); }

  BitView view() const { return {words_.get(), extent_, row_pitch_}; }

 private:
  /// Memory comes from calloc, so pages are first touched when they are written.
  struct Free {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };

  Extent extent_;
  std::int64_t row_pitch_ = 0;
  std::unique_ptr<std::uint32_t[], Free> words_;
};

/// Checks the requirements of BitView. Every labeler calls it.
/// Throws Error (usage) if an axis is below 0, the pitch is odd or shorter than a row, or there is
/// foreground beyond the width. Time: O(rows).
void check(BitView image);

/// Order of bits in a byte: LSB first is TIFF's FillOrder 2, MSB first is that of PNG, PBM and
/// numpy.packbits.
enum class BitOrder { lsb_first, msb_first };

/// Packs an image of one byte per element; nonzero is foreground. Rows of all slices (Extent::rows)
/// begin `row_pitch` bytes apart; 0 stands for `width`.
/// Throws Error (usage) if an axis is below 0, the pitch is shorter than a row, or `bytes` is too
/// short.
BitVolume from_bytes(std::span<const std::uint8_t> bytes, Extent extent, std::int64_t row_pitch = 0);

/// Copies an image of one bit per element; 1 is foreground. A `row_pitch` of 0 stands for (width + 7) /
/// 8 bytes. Bits beyond the width are ignored. Throws as from_bytes().
BitVolume from_bits(std::span<const std::uint8_t> bits, Extent extent, BitOrder order,
                    std::int64_t row_pitch = 0);

/// Inverts foreground and background, using all threads.
void invert(BitVolume& image);

/// Counts the foreground elements.
std::int64_t count_foreground(BitView image);

}  // namespace gpuccl
#pragma GCC visibility pop
