#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "gpuccl/labels.hpp"

namespace gpuccl::measuring {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// A row of bits, and next to it the same moved by an element to either side.
class RowBits {
 public:
  RowBits() = default;
  /// `words`: those of the row, of that moved to the right and of that moved to the left, `pitch` words
  /// apart.
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

/// Returns those of `elements`, numbered from the first one of a word, that have `label` in a row of spans.
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

}  // namespace gpuccl::measuring
