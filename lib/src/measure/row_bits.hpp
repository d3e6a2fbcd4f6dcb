#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "common/row_bits.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::measuring {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// A row of bits, and the same row shifted by one element to either side.
class RowBits {
 public:
  RowBits() = default;
  /// `words`: the row, followed by the row shifted right and the row shifted left, `pitch` words apart.
  RowBits(const Word* words, std::ptrdiff_t pitch) : words_(words), pitch_(pitch) {}

  Word operator[](int word) const { return words_[word]; }
  /// Returns the bits of elements x - 1 at positions x.
  Word left(int word) const { return words_[pitch_ + word]; }
  /// Returns the bits of elements x + 1 at positions x.
  Word right(int word) const { return words_[2 * pitch_ + word]; }
  /// Returns the bits of elements x + dx at positions x; dx is -1, 0 or 1.
  Word beside(int word, int dx) const { return dx == 0 ? words_[word] : dx < 0 ? left(word) : right(word); }

 private:
  const Word* words_ = nullptr;
  std::ptrdiff_t pitch_ = 0;
};

/// Returns the `elements`, whose columns count from `first`, that have `label` in a row of spans.
inline Word of_label(Word elements, int first, Label label, std::span<const LabelRun> spans) {
  Word same = 0;
  for (; elements != 0; elements &= elements - 1) {
    const int x = first + std::countr_zero(elements);
    const auto span = std::upper_bound(spans.begin(), spans.end(), x,
                                       [](int at, const LabelRun& other) { return at < other.end; });
    if (span != spans.end() && span->label == label) same |= elements & (~elements + 1);
  }
  return same;
}

/// Number of set bits in a word, and the sums of their positions and squared positions.
struct Positions {
  std::uint64_t count, sum, squares;
};

/// Counts the set bits whose positions have a binary digit, or two digits, in common. For loops over words,
/// because some processors count many words at once.
inline Positions positions_by_counting(Word word) {
  const auto count = [](Word ones) { return static_cast<std::uint64_t>(std::popcount(ones)); };
  Positions positions{count(word), 0, 0};
  const auto add = [&]<std::size_t i, std::size_t... below>(std::index_sequence<i>,
                                                            std::index_sequence<below...>) {
    const Word ones = word & kPositionsWithBit[i];
    positions.sum += count(ones) << i;
    positions.squares += count(ones) << 2 * i;
    ((positions.squares += count(ones & kPositionsWithBit[below]) << (i + below + 1)), ...);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (add(std::index_sequence<i>(), std::make_index_sequence<i>()), ...);
  }
  (std::make_index_sequence<kPositionsWithBit.size()>());
  return positions;
}

/// Adds entries of a table of bytes, each of which contains the three sums in 16-bit fields.
inline Positions positions_of(Word word) {
  static constexpr auto kOfByte = [] {
    std::array<std::uint64_t, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte)
      for (std::uint64_t bit = 0; bit < 8; ++bit)
        if ((byte >> bit & 1) != 0) table[byte] += 1 | bit << 16 | bit * bit << 32;
    return table;
  }();
  if (word == ~Word{0}) return {64, 64 * 63 / 2, 63 * 64 * 127 / 6};
  constexpr std::uint64_t kField = 0xffff;
  // Sums of the entries, weighted by 1, by the index of the byte, and by a triangular number: entries are
  // added from the last one on, and these sums are added again.
  std::uint64_t all = 0, by_byte = 0, by_triangle = 0;
  for (int i = 7; i > 0; --i) {
    all += kOfByte[word >> 8 * i & 0xff];
    by_byte += all;
    by_triangle += by_byte;
  }
  all += kOfByte[word & 0xff];
  const std::uint64_t by_square = 2 * by_triangle - by_byte;
  const auto sum = [](std::uint64_t entries) { return entries >> 16 & kField; };
  return {all & kField, sum(all) + 8 * (by_byte & kField),
          (all >> 32) + 16 * sum(by_byte) + 64 * (by_square & kField)};
}

}  // namespace gpuccl::measuring
