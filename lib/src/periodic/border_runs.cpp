#include "periodic/border_runs.hpp"

#include <algorithm>

namespace gpuccl {

// Slices that are kept whole have their rows first, then come the first and last row of every slice.
BorderRuns::BorderRuns(const LabelSource& labels, const PeriodicAxes& periodic)
    : extent_(labels.extent()), periodic_(periodic) {
  const std::int64_t height = extent_.height;
  rows_.resize((periodic_[2] ? 2 * static_cast<std::size_t>(height) : 0) +
               (periodic_[1] ? 2 * static_cast<std::size_t>(extent_.depth) : 0));
  if (periodic_[0]) ends_.resize(static_cast<std::size_t>(extent_.rows()));

  constexpr std::int64_t kRowsAtOnce = 256;
  LabelRuns listed;
  for (std::int64_t first = 0; first < extent_.rows(); first += kRowsAtOnce) {
    const std::int64_t rows = std::min(kRowsAtOnce, extent_.rows() - first);
    labels.prepare(first, rows);
    labels.list_runs(first, rows, listed, nullptr);
    std::size_t begin = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::span<const LabelRun> row{listed.runs.data() + begin,
                                          listed.ends[static_cast<std::size_t>(i)] - begin};
      begin = listed.ends[static_cast<std::size_t>(i)];
      if (row.empty()) continue;
      const int y = static_cast<int>((first + i) % height), z = static_cast<int>((first + i) / height);
      if (is_kept(y, z)) rows_[place(y, z)].assign(row.begin(), row.end());
      if (ends_.empty()) continue;
      if (row.front().begin == 0) ends_[index(y, z)].first = row.front().label;
      if (row.back().end == extent_.width) ends_[index(y, z)].last = row.back().label;
    }
  }
}

std::span<const LabelRun> BorderRuns::row(int y, int z) const { return rows_[place(y, z)]; }

bool BorderRuns::is_kept(int y, int z) const {
  return (periodic_[2] && (z == 0 || z == extent_.depth - 1)) ||
         (periodic_[1] && (y == 0 || y == extent_.height - 1));
}

std::size_t BorderRuns::place(int y, int z) const {
  const auto height = static_cast<std::size_t>(extent_.height);
  if (periodic_[2] && z == 0) return static_cast<std::size_t>(y);
  if (periodic_[2] && z == extent_.depth - 1) return height + static_cast<std::size_t>(y);
  return (periodic_[2] ? 2 * height : 0) + 2 * static_cast<std::size_t>(z) + (y == 0 ? 0 : 1);
}

}  // namespace gpuccl
