#include "periodic/border_runs.hpp"

namespace gpuccl {

// Slices that are kept whole have their rows first, then come the first and last row of every slice.
BorderRuns::BorderRuns(const Extent& extent, const PeriodicAxes& periodic)
    : extent_(extent), periodic_(periodic) {
  rows_.resize(static_cast<std::size_t>((periodic[2] ? std::int64_t{2} * extent.height : 0) +
                                        (periodic[1] ? std::int64_t{2} * extent.depth : 0)));
  if (periodic[0]) ends_.resize(static_cast<std::size_t>(extent.rows()));
}

void BorderRuns::keep(std::int64_t number, std::span<const LabelRun> row) {
  if (row.empty()) return;
  const int y = static_cast<int>(number % extent_.height), z = static_cast<int>(number / extent_.height);
  if (is_kept(y, z)) rows_[place(y, z)].assign(row.begin(), row.end());
  if (ends_.empty()) return;
  if (row.front().begin == 0) ends_[index(y, z)].first = row.front().label;
  if (row.back().end == extent_.width) ends_[index(y, z)].last = row.back().label;
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
