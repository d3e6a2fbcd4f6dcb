#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "common/row_bits.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Writes rows from `first_row` on to all of `out`, by all threads: foreground is every element but those
/// whose label left_out(label) says. The labels are made ready for them.
template <class LeftOut>
void draw_others(const LabelSource& labels, std::int64_t first_row, BitVolume& out, LeftOut left_out) {
  constexpr std::int64_t kElementsATask = 1 << 16;  // whose runs stay in the cache
  const std::int64_t all = out.extent().rows();
  const int width = out.extent().width;
  labels.prepare(first_row, all);
  using Rows = tbb::blocked_range<std::int64_t>;
  const std::int64_t rows_each = std::max<std::int64_t>(1, kElementsATask / std::max(1, width));
  const auto draw = [&](const Rows& rows) {
    LabelRuns runs;
    labels.list_runs(first_row + rows.begin(), rows.end() - rows.begin(), runs, nullptr);
    std::size_t i = 0;
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row) {
      std::uint32_t* const bits = out.row(row);
      std::fill_n(bits, out.row_pitch(), 0);
      for (const std::size_t end = runs.ends[static_cast<std::size_t>(row - rows.begin())]; i < end; ++i)
        if (const LabelRun& run = runs.runs[i]; left_out(run.label)) fill_span(bits, run.begin, run.end);
      invert_row(bits, width);
    }
  };
  tbb::parallel_for(Rows(0, all, static_cast<std::size_t>(rows_each)), draw, tbb::simple_partitioner());
}

}  // namespace gpuccl
