#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "common/shape.hpp"
#include "cpu/runs/words.hpp"

namespace gpuccl::cpu {

/// A word of each row of a bundle, column by column:
///
///     row 0  a b c ...        here  a A b B c C ...
///     row 1  A B C ...
///
/// So a few columns of all rows are a few bits of one word, whose elements are counted at once.
template <RowSet set>
class SideBySide {
  static constexpr int kRows = std::popcount(set);
  static_assert(kRows == 2 || kRows == 4);

  template <class Condition>
  static constexpr Word bits_where(Condition condition) {
    Word bits = 0;
    for (int bit = 0; bit < kWordBits; ++bit) bits |= Word{condition(bit)} << bit;
    return bits;
  }

 public:
  /// columns() gives so many at most.
  static constexpr int kMost = (kWordBits - 8) / kRows + 1;

  /// Of what columns() gives, the bits of some rows.
  template <RowSet rows>
  static constexpr Word kOfRows = bits_where([](int bit) { return (rows >> bit % kRows & 1) != 0; });
  /// Of what columns() gives, those of columns whose number, counted from the first one, has bit i.
  static constexpr auto kOfColumns = [] {
    std::array<Word, std::bit_width(unsigned{kMost - 1})> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits[i] = bits_where([i](int bit) { return (bit / kRows >> i & 1) != 0; });
    return bits;
  }();

  explicit SideBySide(const std::array<Word, 4>& rows) {
    Lanes first{}, all{};
    for (int i = 0; i < kRows; ++i) first[i] = static_cast<Word>(i * kColumnsOfWord);
    for (int row = 0; row < kRows; ++row) {
      Lanes lanes = (Lanes{} + rows[static_cast<std::size_t>(row)]) >> first & kGroups[0];
      // Halves of what stands together move apart, down to single bits.
      for (std::size_t step = 1; step < kGroups.size(); ++step)
        lanes = (lanes | lanes << (kColumnsOfWord >> step) * (kRows - 1)) & kGroups[step];
      all |= lanes << row;
    }
    std::memcpy(words_.data(), &all, sizeof all);
  }

  /// `count` columns from `first` on.
  Word columns(int first, int count) const {
    const int bit = first * kRows;
    Word word;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(words_.data()) + bit / 8, sizeof word);
    return word >> bit % 8 & ((Word{1} << count * kRows) - 1);
  }

 private:
  using Two [[gnu::vector_size(2 * sizeof(Word))]] = Word;
  using Four [[gnu::vector_size(4 * sizeof(Word))]] = Word;
  using Lanes = std::conditional_t<kRows == 2, Two, Four>;

  static constexpr int kColumnsOfWord = kWordBits / kRows;
  /// Groups of kColumnsOfWord >> i bits, each followed by kRows - 1 times as many zeros.
  static constexpr auto kGroups = [] {
    std::array<Word, std::bit_width(unsigned{kColumnsOfWord})> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i)
      groups[i] = bits_where([i](int bit) { return bit / (kColumnsOfWord >> i) % kRows == 0; });
    return groups;
  }();

  std::array<Word, kRows + 1> words_{};  // the last one is read behind the last column
};

}  // namespace gpuccl::cpu
