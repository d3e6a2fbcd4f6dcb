#include "gpuccl/detail/count_runs.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "common/run_contacts.hpp"

namespace gpuccl {
namespace {

using Word = std::uint64_t;

/// Returns word i of a row. Element x is bit x % 64 of word x / 64.
Word load(const std::uint32_t* row, std::int64_t i) {
  Word word;
  std::memcpy(&word, row + 2 * i, sizeof word);
  return word;
}

/// Counts the runs in a row of `words` words that touch nothing in the rows above and behind.
template <bool diagonal>
std::int64_t count_in_row(const std::uint32_t* row, const std::uint32_t* above, const std::uint32_t* behind,
                          std::int64_t words) {
  const auto load_both = [&](std::int64_t i) { return load(above, i) | load(behind, i); };
  std::int64_t count = 0;
  Word left = 0, before_left = 0, before_here = load_both(0);
  for (std::int64_t i = 0; i < words; ++i) {
    const Word here = load(row, i);
    const Word before_right = i + 1 < words ? load_both(i + 1) : 0;
    Word covered = here << 1 | left >> 63 | before_here;
    if constexpr (diagonal)
      covered |= before_here << 1 | before_here >> 1 | before_left >> 63 | before_right << 63;
    count += std::popcount(here & ~covered);
    left = here;
    before_left = before_here;
    before_here = before_right;
  }
  return count;
}

constexpr std::int64_t kNoRow = -1;
using Rows = tbb::blocked_range<std::int64_t>;

/// Sums count(row, row above, row behind) over all rows. Arguments are indices; kNoRow if there is no such
/// row.
template <class Count>
std::int64_t count_in_rows(Extent extent, Connectivity connectivity, std::int64_t rows_of_task, Count count) {
  return tbb::parallel_reduce(
      Rows(0, extent.rows(), static_cast<std::size_t>(std::max<std::int64_t>(1, rows_of_task))),
      std::int64_t{0},
      [&](const Rows& range, std::int64_t sum) {
        for (std::int64_t row = range.begin(); row < range.end(); ++row) {
          const bool has_above = row % extent.height != 0;
          const bool has_behind = is_3d(connectivity) && row >= extent.height;
          sum += count(row, has_above ? row - 1 : kNoRow, has_behind ? row - extent.height : kNoRow);
        }
        return sum;
      },
      std::plus<>());
}

/// Returns the number of runs in a row of `words` words.
std::int64_t count_runs_in_row(const std::uint32_t* row, std::int64_t words) {
  std::int64_t count = 0;
  std::uint32_t left = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    count += std::popcount(row[i] & ~(row[i] << 1 | left >> 31));
    left = row[i];
  }
  return count;
}

}  // namespace

RunCounts count_runs(BitView image) {
  constexpr std::int64_t kWordsOfTask = std::int64_t{1} << 17;
  const std::int64_t words = words_per_row(image.extent.width);
  const std::int64_t rows = std::max<std::int64_t>(1, kWordsOfTask / std::max<std::int64_t>(1, words));
  return tbb::parallel_reduce(
      Rows(0, image.extent.rows(), static_cast<std::size_t>(rows)), RunCounts(),
      [&](const Rows& range, RunCounts counts) {
        for (std::int64_t row = range.begin(); row < range.end(); ++row) {
          const std::int64_t count = count_runs_in_row(image.row(row), words);
          counts.all += count;
          counts.most_in_row = std::max(counts.most_in_row, count);
        }
        return counts;
      },
      [](RunCounts a, RunCounts b) {
        return RunCounts{a.all + b.all, std::max(a.most_in_row, b.most_in_row)};
      });
}

std::int64_t most_components(BitView image, Connectivity connectivity) {
  constexpr std::int64_t kWordsOfTask = std::int64_t{1} << 17;
  const std::int64_t words = words_per_row(image.extent.width) / 2;
  const std::int64_t rows = kWordsOfTask / std::max<std::int64_t>(1, words);
  const bool diagonal = connectivity != Connectivity::c4 && connectivity != Connectivity::c6;
  const auto count_in = diagonal ? count_in_row<true> : count_in_row<false>;
  const std::vector<std::uint32_t> nothing(static_cast<std::size_t>(2 * words));
  return count_in_rows(image.extent, connectivity, rows,
                       [&](std::int64_t row, std::int64_t above, std::int64_t behind) {
                         return count_in(image.row(row), above != kNoRow ? image.row(above) : nothing.data(),
                                         behind != kNoRow ? image.row(behind) : nothing.data(), words);
                       });
}

std::int64_t most_components(const ValueImage& image, Connectivity connectivity) {
  constexpr std::int64_t kElementsOfTask = std::int64_t{1} << 17;
  const Extent& extent = image.extent();
  const bool diagonal = connectivity != Connectivity::c4 && connectivity != Connectivity::c6;
  const auto count_in = [&](std::int64_t row, std::int64_t above, std::int64_t behind) {
    const std::span<const ValueRun> runs = image.row(row);
    std::vector<bool> connects(runs.size());
    for (const std::int64_t other : {above, behind}) {
      if (other == kNoRow) continue;
      const auto mark = [&](const auto& connected) {
        for_each_contact_of_rows(runs, image.row(other), diagonal,
                                 [&](const ValueRun& run, const ValueRun& before) {
                                   const auto i = static_cast<std::size_t>(&run - runs.data());
                                   if (!connects[i] && connected(run, before)) connects[i] = true;
                                 });
      };
      if (image.delta() == 0)
        mark([](const ValueRun& run, const ValueRun& before) { return run.value == before.value; });
      else
        with_type(image.type(), [&](auto value) {
          mark(ChainedRuns<decltype(value)>(image.delta(), image.elements(row), image.elements(other),
                                            diagonal));
        });
    }
    return std::count(connects.begin(), connects.end(), false);
  };
  return count_in_rows(extent, connectivity, kElementsOfTask / std::max(1, extent.width), count_in);
}

}  // namespace gpuccl
