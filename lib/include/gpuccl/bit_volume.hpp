#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "gpuccl/extent.hpp"

namespace gpuccl {

/// A view of a binary image or volume, one bit an element. Owns nothing.
///
/// Element x of a row is bit x % 32 (least significant first) of word x / 32. A row takes words_per_row()
/// words at least, padded with zero bits; slices follow each other without a gap.
struct BitView {
  const std::uint32_t* words = nullptr;
  Extent extent;
  std::int64_t row_pitch = 0;  // 32-bit words from a row to the next; even

  /// Row `row` of all rows of all slices (Extent::rows).
  const std::uint32_t* row(std::int64_t row) const { return words + row * row_pitch; }
  const std::uint32_t* row(int y, int z) const {
    return row(static_cast<std::int64_t>(z) * extent.height + y);
  }
  bool operator()(int x, int y, int z = 0) const { return (row(y, z)[x / 32] >> (x % 32) & 1u) != 0; }

  /// Slices [z0, z1).
  BitView slices(int z0, int z1) const {
    return {row(0, z0), {extent.width, extent.height, z1 - z0}, row_pitch};
  }
};

/// 32-bit words a row of `width` elements takes: a multiple of two.
constexpr std::int64_t words_per_row(std::int64_t width) { return (width + 63) / 64 * 2; }

/// The input in memory: owns the bits that a BitView shows.
class BitVolume {
 public:
  BitVolume() = default;
  /// All background. Error (usage) if an axis is below 0.
  explicit BitVolume(Extent extent);

  const Extent& extent() const { return extent_; }
  std::int64_t row_pitch() const { return row_pitch_; }
  std::int64_t bytes() const { return extent_.rows() * row_pitch_ * 4; }

  /// The padding bits beyond `width` are zero, and a caller that writes rows keeps them so.
  std::uint32_t* row(std::int64_t row) { return words_.get() + row * row_pitch_; }
  std::uint32_t* row(int y, int z) { return row(static_cast<std::int64_t>(z) * extent_.height + y); }
  const std::uint32_t* row(std::int64_t row) const { return words_.get() + row * row_pitch_; }

  void set(int x, int y, int z = 0, bool foreground = true);
  bool operator()(int x, int y, int z = 0) const { return view()(x, y, z); }

  BitView view() const { return {words_.get(), extent_, row_pitch_}; }

 private:
  /// Memory comes from calloc: what the kernel hands out as zeros is first touched when it is written.
  struct Free {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };

  Extent extent_;
  std::int64_t row_pitch_ = 0;
  std::unique_ptr<std::uint32_t[], Free> words_;
};

/// Error (usage) if a view is not as BitView says: an axis below 0, a pitch that is odd or shorter than a
/// row, foreground beyond the width. Every labeler checks its image.
void check(BitView image);

/// How the bits of a byte follow each other: LSB is TIFF's FillOrder 2, MSB is that of PNG, PBM and
/// numpy.packbits.
enum class BitOrder { lsb_first, msb_first };

/// The image in a buffer of one byte an element, of which every value but 0 is foreground. Rows of all slices
/// (Extent::rows) begin `row_pitch` bytes apart; 0: `width`. Error (usage) if an axis is below 0, the pitch
/// shorter than a row or `bytes` too short.
BitVolume from_bytes(std::span<const std::uint8_t> bytes, Extent extent, std::int64_t row_pitch = 0);

/// The same for a buffer of one bit an element, 1 is foreground; 0 as `row_pitch` is (width + 7) / 8 bytes.
/// What is beyond a row's width does not count.
BitVolume from_bits(std::span<const std::uint8_t> bits, Extent extent, BitOrder order,
                    std::int64_t row_pitch = 0);

/// Turns foreground into background and back, by all threads.
void invert(BitVolume& image);

/// Number of foreground elements.
std::int64_t count_foreground(BitView image);

}  // namespace gpuccl
