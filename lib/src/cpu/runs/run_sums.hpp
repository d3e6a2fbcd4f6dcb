#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// How many elements the rows of a bundle have in a part of a run, and the sum of their x.
struct RunSums {
  std::array<std::uint64_t, 4> of_row{};  // as RowSet numbers rows; 0 in rows that are not in the set
  std::uint64_t sum_x = 0;

  std::uint64_t area() const { return of_row[0] + of_row[1] + of_row[2] + of_row[3]; }
};

/// The sum of the positions of all ones in a word.
constexpr std::uint64_t sum_of_positions(Word word) {
  constexpr std::array<Word, 6> kWithBit = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                            0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  std::uint64_t sum = 0;
  for (int bit = 0; bit < 6; ++bit)
    sum += static_cast<std::uint64_t>(std::popcount(word & kWithBit[static_cast<std::size_t>(bit)])) << bit;
  return sum;
}

/// Of a word whose ones are among its first 8 bits.
inline constexpr auto kSumsOfPositions = [] {
  std::array<std::uint8_t, 256> sums{};
  for (std::size_t ones = 0; ones < sums.size(); ++ones)
    sums[ones] = static_cast<std::uint8_t>(sum_of_positions(ones));
  return sums;
}();

/// The sum of numbers 0 to count - 1.
constexpr std::uint64_t sum_below(std::uint64_t count) { return count * (count - 1) / 2; }

/// What the rows of `set` have in these columns, which follow each other, of a word of each that begins at x.
template <RowSet set>
inline RunSums sums_of_columns(const std::array<Word, 4>& rows, int x, Word columns) {
  const int first = std::countr_zero(columns);
  const Word mask = columns >> first;
  std::array<Word, 4> ones{};
  Word in_all = mask;
  RunSums sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    ones[i] = rows[i] >> first & mask;
    in_all &= ones[i];
    sums.of_row[i] = static_cast<std::uint64_t>(std::popcount(ones[i]));
  }
  if (mask < kSumsOfPositions.size()) {
    for (const Word row : ones) sums.sum_x += kSumsOfPositions[row];
  } else if (in_all == mask) {
    sums.sum_x = static_cast<std::uint64_t>(std::popcount(set)) * sum_below(sums.of_row[0]);
  } else {
    for (const Word row : ones) sums.sum_x += sum_of_positions(row);
  }
  sums.sum_x += sums.area() * static_cast<std::uint64_t>(x + first);
  return sums;
}

/// Of a bundle that is a single row.
inline RunSums sums_of_run(int begin, int end) {
  const auto length = static_cast<std::uint64_t>(end - begin);
  return {{length}, length * static_cast<std::uint64_t>(begin) + sum_below(length)};
}

/// Visits the runs of a bundle from left to right as visit(run, begin, end, sums), one that reaches into more
/// words once for each of them, where bundles are more than a single row. `words` words long, zero behind the
/// last element.
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
    for_each_part<set>(
        bundle, words, [&](std::size_t run, int x, Word columns, const std::array<Word, 4>& rows) {
          const int begin = x + std::countr_zero(columns);
          visit(run, begin, begin + std::popcount(columns), sums_of_columns<set>(rows, x, columns));
        });
  }
}

}  // namespace gpuccl::cpu
