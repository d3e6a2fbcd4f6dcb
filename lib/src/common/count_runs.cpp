#include "gpuccl/detail/count_runs.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>

namespace gpuccl {
namespace {

std::int64_t count_in_row(const std::uint32_t* row, std::int64_t words) {
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
  using Rows = tbb::blocked_range<std::int64_t>;
  return tbb::parallel_reduce(
      Rows(0, image.extent.rows(), static_cast<std::size_t>(rows)), RunCounts(),
      [&](const Rows& range, RunCounts counts) {
        for (std::int64_t row = range.begin(); row < range.end(); ++row) {
          const std::int64_t count = count_in_row(image.row(row), words);
          counts.all += count;
          counts.most_in_row = std::max(counts.most_in_row, count);
        }
        return counts;
      },
      [](RunCounts a, RunCounts b) {
        return RunCounts{a.all + b.all, std::max(a.most_in_row, b.most_in_row)};
      });
}

}  // namespace gpuccl
