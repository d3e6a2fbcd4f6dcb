#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/row_bits.hpp"
#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// Number of pixels in a part of a bundle's run, and the sum of their x.
struct RunSums {
  std::uint64_t area = 0;
  std::uint64_t in_next_y = 0, in_next_z = 0;  // number in rows whose y, or z, is not the bundle's first
  std::uint64_t sum_x = 0;
};

/// Returns the sum of the positions of all set bits in a word.
constexpr std::uint64_t sum_of_positions(Word word) {
  std::uint64_t sum = 0;
  for (int bit = 0; bit < 6; ++bit)
    sum += static_cast<std::uint64_t>(std::popcount(word & kPositionsWithBit[static_cast<std::size_t>(bit)]))
           << bit;
  return sum;
}

/// Sums of positions for words with set bits only among the first 8.
inline constexpr auto kSumsOfPositions = [] {
  std::array<std::uint8_t, 256> sums{};
  for (std::size_t ones = 0; ones < sums.size(); ++ones)
    sums[ones] = static_cast<std::uint8_t>(sum_of_positions(ones));
  return sums;
}();

/// Returns 0 + 1 + ... + count - 1.
constexpr std::uint64_t sum_below(std::uint64_t count) { return count * (count - 1) / 2; }

/// Returns the sums of the rows of `set` in consecutive columns. `x`: of the first bit of the words.
template <RowSet set>
inline RunSums sums_of_columns(const std::array<Word, 4>& rows, int x, Word columns) {
  const int first = std::countr_zero(columns);
  const Word mask = columns >> first;
  std::array<Word, 4> ones{};
  std::array<std::uint64_t, 4> counts{};
  Word in_all = mask;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    ones[i] = rows[i] >> first & mask;
    in_all &= ones[i];
    counts[i] = static_cast<std::uint64_t>(std::popcount(ones[i]));
  }
  RunSums sums{counts[0] + counts[1] + counts[2] + counts[3], counts[1] + counts[3], counts[2] + counts[3]};
  if (mask < kSumsOfPositions.size()) {
    for (const Word row : ones) sums.sum_x += kSumsOfPositions[row];
  } else if (in_all == mask) {
    sums.sum_x = static_cast<std::uint64_t>(std::popcount(set)) * sum_below(counts[0]);
  } else {
    for (const Word row : ones) sums.sum_x += sum_of_positions(row);
  }
  sums.sum_x += sums.area * static_cast<std::uint64_t>(x + first);
  return sums;
}

/// Returns the sums of a run in a bundle of a single row.
inline RunSums sums_of_run(int begin, int end) {
  const auto length = static_cast<std::uint64_t>(end - begin);
  return {length, 0, 0, length * static_cast<std::uint64_t>(begin) + sum_below(length)};
}

/// Visits the runs of a bundle from left to right as visit(run, begin, end, sums). In bundles of several
/// rows, a run is visited once for each word that it extends over. The bundle has `words` words, with zeros
/// after the last element.
template <RowSet set, class Visit>
void for_each_run_sums(const BundleRows& bundle, int words, Visit visit) {
  if constexpr (set == 0b0001) {
    std::size_t run = 0;
    const auto visit_run = [&](int begin, int end, int) {
      visit(run++, begin, end, sums_of_run(begin, end));
    };
    for_each_run(
        bundle[0], words, [](int, int) { return 0; }, visit_run);
  } else {
    std::size_t run = 0;
    Word left = 0;
    for (int i = 0; i < words; ++i) {
      std::array<Word, 4> rows{};
      for (std::size_t row = 0; row < rows.size(); ++row)
        if ((set >> row & 1) != 0) rows[row] = load_word(bundle[row], i);
      const Word united = rows[0] | rows[1] | rows[2] | rows[3];
      const int x = i * kWordBits;
      run -= left >> (kWordBits - 1) & united;  // the last run continues
      left = united;
      for (Word rest = united; rest != 0; ++run) {
        const Word above =
            rest + (rest & -rest);  // adding the lowest bit moves the lowest run to a bit after it
        const Word columns = rest & ~above;
        rest &= above;
        const int begin = x + std::countr_zero(columns);
        visit(run, begin, begin + std::popcount(columns), sums_of_columns<set>(rows, x, columns));
      }
    }
  }
}

}  // namespace gpuccl::cpu
