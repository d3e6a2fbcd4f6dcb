#pragma once

#include <algorithm>
#include <bit>

#include "measure/group.hpp"

namespace gpuccl::measuring {

/// A row of bits with a word of zeros on either side, and the same moved by an element.
class RowBits {
 public:
  explicit RowBits(const Word* words) : words_(words) {}

  Word operator[](int word) const { return words_[word]; }
  /// Of element x what element x - 1 has.
  Word left(int word) const { return words_[word] << 1 | words_[word - 1] >> (kWordBits - 1); }
  /// Of element x what element x + 1 has.
  Word right(int word) const { return words_[word] >> 1 | words_[word + 1] << (kWordBits - 1); }
  /// Of element x what element x + dx has; -1, 0 or 1.
  Word beside(int word, int dx) const { return dx == 0 ? words_[word] : dx < 0 ? left(word) : right(word); }

 private:
  const Word* words_;
};

/// The rows around a row, by how far away they are.
class Around {
 public:
  explicit Around(const LabeledRow& row) : row_(row) {}

  /// dz is 0 or -1.
  RowBits operator()(int dy, int dz) const {
    return RowBits(dz == 0 ? row_.here[static_cast<std::size_t>(dy + 2)]
                           : row_.before[static_cast<std::size_t>(dy + 1)]);
  }
  std::span<const LabelRun> runs(int dy, int dz) const {
    return dz == 0 ? row_.runs_here[static_cast<std::size_t>(dy + 2)]
                   : row_.runs_before[static_cast<std::size_t>(dy + 1)];
  }

 private:
  const LabeledRow& row_;
};

/// Which of `elements`, numbered from the first one of a word on, have `label` in a row of runs.
inline Word of_label(Word elements, int first, Label label, std::span<const LabelRun> runs) {
  Word same = 0;
  for (; elements != 0; elements &= elements - 1) {
    const int x = first + std::countr_zero(elements);
    const auto run = std::upper_bound(runs.begin(), runs.end(), x,
                                      [](int at, const LabelRun& other) { return at < other.end; });
    if (run != runs.end() && run->label == label) same |= elements & (~elements + 1);
  }
  return same;
}

}  // namespace gpuccl::measuring
