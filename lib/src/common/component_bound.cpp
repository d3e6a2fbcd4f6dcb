#include "gpuccl/component_bound.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace gpuccl {
namespace {

using Word = std::uint64_t;

/// Word i of a row, of which element x is bit x % 64 of word x / 64.
Word load(const std::uint32_t* row, std::int64_t i) {
  Word word;
  std::memcpy(&word, row + 2 * i, sizeof word);
  return word;
}

/// Beginnings of runs in a row of `words` words that touch nothing in the row above.
template <bool diagonal>
std::int64_t count_in_row(const std::uint32_t* row, const std::uint32_t* above, std::int64_t words) {
  std::int64_t count = 0;
  Word left = 0, above_left = 0, above_here = load(above, 0);
  for (std::int64_t i = 0; i < words; ++i) {
    const Word here = load(row, i);
    const Word above_right = i + 1 < words ? load(above, i + 1) : 0;
    Word covered = here << 1 | left >> 63 | above_here;
    if constexpr (diagonal)
      covered |= above_here << 1 | above_here >> 1 | above_left >> 63 | above_right << 63;
    count += std::popcount(here & ~covered);
    left = here;
    above_left = above_here;
    above_here = above_right;
  }
  return count;
}

/// The same for a row with nothing above.
std::int64_t count_in_first_row(const std::uint32_t* row, std::int64_t words) {
  std::int64_t count = 0;
  Word left = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    const Word here = load(row, i);
    count += std::popcount(here & ~(here << 1 | left >> 63));
    left = here;
  }
  return count;
}

}  // namespace

std::int64_t most_components(BitView image, Connectivity connectivity) {
  constexpr std::int64_t kWordsOfTask = std::int64_t{1} << 17;
  const std::int64_t words = image.row_pitch / 2;
  const std::int64_t rows = kWordsOfTask / std::max<std::int64_t>(1, words);
  const bool diagonal = connectivity != Connectivity::c4 && connectivity != Connectivity::c6;
  const auto count_in = diagonal ? count_in_row<true> : count_in_row<false>;
  using Rows = tbb::blocked_range<std::int64_t>;
  return tbb::parallel_reduce(
      Rows(0, image.extent.rows(), static_cast<std::size_t>(std::max<std::int64_t>(1, rows))),
      std::int64_t{0},
      [&](const Rows& range, std::int64_t count) {
        for (std::int64_t row = range.begin(); row < range.end(); ++row) {
          const bool is_first = row % image.extent.height == 0;
          count += is_first ? count_in_first_row(image.row(row), words)
                            : count_in(image.row(row), image.row(row - 1), words);
        }
        return count;
      },
      std::plus<>());
}

}  // namespace gpuccl
