#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "gpuccl/extent.hpp"

namespace gpuccl {

/// A view of a binary image or volume, one bit an element. Owns nothing.
///
/// Element x of a row is bit x % 32 (least significant first) of word x / 32. Rows start on 64-bit boundaries
/// and are padded with zero bits; slices follow each other without a gap.
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
  /// All background.
  explicit BitVolume(Extent extent);

  const Extent& extent() const { return extent_; }
  std::int64_t row_pitch() const { return row_pitch_; }
  std::int64_t bytes() const { return extent_.rows() * row_pitch_ * 4; }

  /// Whoever writes a row keeps the padding bits behind `width` zero.
  std::uint32_t* row(std::int64_t row) { return words_.get() + row * row_pitch_; }
  std::uint32_t* row(int y, int z) { return row(static_cast<std::int64_t>(z) * extent_.height + y); }
  const std::uint32_t* row(std::int64_t row) const { return words_.get() + row * row_pitch_; }

  void set(int x, int y, int z = 0, bool foreground = true);
  bool operator()(int x, int y, int z = 0) const { return view()(x, y, z); }

  BitView view() const { return {words_.get(), extent_, row_pitch_}; }

 private:
  /// Memory comes from calloc: what the kernel hands out as zeros is first touched by whoever writes to it.
  struct Free {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };

  Extent extent_;
  std::int64_t row_pitch_ = 0;
  std::unique_ptr<std::uint32_t[], Free> words_;
};

/// Number of foreground elements.
std::int64_t count_foreground(BitView image);

}  // namespace gpuccl
