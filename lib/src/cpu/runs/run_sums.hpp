#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// How many elements the rows of a bundle have in one of its runs, and the sum of their x.
struct RunSums {
  std::array<std::uint64_t, 4> of_row{};  // as RowSet numbers rows; 0 in rows that are not in the set
  std::uint64_t sum_x = 0;

  std::uint64_t area() const { return of_row[0] + of_row[1] + of_row[2] + of_row[3]; }
  RunSums& operator+=(const RunSums& other) {
    for (std::size_t i = 0; i < of_row.size(); ++i) of_row[i] += other.of_row[i];
    sum_x += other.sum_x;
    return *this;
  }
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

/// The same of a word whose ones are among its first 16 bits.
inline std::uint64_t sum_of_few_positions(Word word) {
  static constexpr auto kSums = [] {  // of the first byte, and of the second
    std::array<std::array<std::uint8_t, 256>, 2> sums{};
    for (std::size_t byte = 0; byte < sums.size(); ++byte)
      for (std::size_t ones = 0; ones < 256; ++ones)
        sums[byte][ones] = static_cast<std::uint8_t>(sum_of_positions(Word{ones} << 8 * byte));
    return sums;
  }();
  return std::uint64_t{kSums[0][word & 0xff]} + kSums[1][word >> 8];
}

/// What the rows of `set` have in columns [first, first + length) of a word of each that begins at x.
template <RowSet set>
RunSums sums_of_columns(const std::array<Word, 4>& rows, int x, int first, int length) {
  RunSums sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    const Word ones = rows[i] >> first & up_to(length - 1);
    sums.of_row[i] = static_cast<std::uint64_t>(std::popcount(ones));
    sums.sum_x += length <= 16 ? sum_of_few_positions(ones) : sum_of_positions(ones);
  }
  sums.sum_x += sums.area() * static_cast<std::uint64_t>(x + first);
  return sums;
}

/// Of a bundle that is a single row.
inline RunSums sums_of_run(int begin, int end) {
  const auto length = static_cast<std::uint64_t>(end - begin);
  const auto ends = static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(end) - 1;
  return {{length}, length * ends / 2};
}

/// Visits the runs of a bundle from left to right as visit(begin, end, sums). `words` words long, zero behind
/// the last element.
template <RowSet set, class Visit>
void for_each_run_sums(const BundleRows& bundle, int words, Visit visit) {
  if constexpr (set == 0b0001) {
    const auto visit_run = [&](int begin, int end, int) { visit(begin, end, sums_of_run(begin, end)); };
    return for_each_run(
        bundle[0], words, [](int, int) { return 0; }, visit_run);
  }
  bool open = false;  // a run goes on from the word to the left
  int begin = 0;
  RunSums so_far;
  for (int i = 0; i < words; ++i) {
    std::array<Word, 4> rows{};
    for (std::size_t row = 0; row < rows.size(); ++row)
      if ((set >> row & 1) != 0) rows[row] = load_word(bundle[row], i);
    Word rest = rows[0] | rows[1] | rows[2] | rows[3];
    const int x = i * kWordBits;
    if (open && (rest & 1) == 0) {
      visit(begin, x, so_far);
      open = false;
    }
    while (rest != 0) {
      const int first = std::countr_zero(rest);
      const int length = std::countr_one(rest >> first);
      RunSums sums = sums_of_columns<set>(rows, x, first, length);
      if (open) sums += so_far;
      if (!open) begin = x + first;
      open = first + length == kWordBits;
      if (open) {
        so_far = sums;
        break;
      }
      visit(begin, x + first + length, sums);
      rest &= rest + (rest & -rest);  // without its lowest run
    }
  }
  if (open) visit(begin, words * kWordBits, so_far);
}

}  // namespace gpuccl::cpu
