#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "common/row_bits.hpp"
#include "measure/row_bits.hpp"

namespace gpuccl::measuring {

/// Number of ones in a word, and the sums of their positions and squared positions.
struct Positions {
  std::uint64_t count, sum, squares;
};

/// By counting the ones whose positions have a bit, or two bits, in common: for loops over words, of which
/// some processors count many at once.
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

/// Byte by byte from a table, of which an entry has the three in fields of 16 bits.
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
  // Sums of the entries, of each times the number of its byte, and of each times a triangular number: entries
  // are added from the last one on, and these sums added again.
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
