#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/group.hpp"

namespace gpuccl::measuring {

/// Part of a volume: rows [y0, y1) of slices [z0, z1).
struct Region {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;

  bool holds(const Box& box) const {
    return z0 <= box.min[2] && box.max[2] < z1 && y0 <= box.min[1] && box.max[1] < y1;
  }
};

/// Lists the runs of rows [first_row, first_row + rows) of all rows, as LabelSource::list_runs.
using ListRuns = std::function<void(std::int64_t first_row, std::int64_t rows, LabelRuns& out)>;

/// Some rows of a slice, as runs and as bits.
class Plane {
 public:
  /// Rows [y0, y1), of those that there are.
  void read(const ListRuns& list_runs, const Extent& extent, int z, int y0, int y1);
  /// Holds no row.
  void clear() { y0_ = y1_ = 0; }

  bool holds(int y) const { return y0_ <= y && y < y1_; }
  std::span<const LabelRun> runs(int y) const {
    if (!holds(y)) return {};
    const auto row = static_cast<std::size_t>(y - y0_);
    const std::size_t begin = row == 0 ? 0 : runs_.ends[row - 1];
    return std::span(runs_.runs).subspan(begin, runs_.ends[row] - begin);
  }
  /// With a word of zeros on either side.
  const Word* bits(int y) const { return bits_.data() + static_cast<std::size_t>(y - y0_) * pitch_ + 1; }

 private:
  int y0_ = 0, y1_ = 0;
  std::size_t pitch_ = 0;
  LabelRuns runs_;
  std::vector<Word> bits_;
};

/// Row after row of a region, with the rows around each.
class RowWindow {
 public:
  /// `slices_touch`: the slice before is looked at.
  RowWindow(ListRuns list_runs, Extent extent, Region region, bool slices_touch);

  /// False behind the last row. Fills all of `row` but its stretches.
  bool next(LabeledRow& row);

 private:
  void read_slice();

  ListRuns list_runs_;
  Extent extent_;
  Region region_;
  bool slices_touch_;
  int y_, z_;
  Plane before_, here_;
  std::vector<Word> zeros_;
};

}  // namespace gpuccl::measuring
