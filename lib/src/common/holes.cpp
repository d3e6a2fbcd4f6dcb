#include "gpuccl/holes.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/row_bits.hpp"
#include "gpuccl/selection.hpp"

namespace gpuccl {

Holes::Holes(Labeled background, bool per_slice, std::uint64_t max_size)
    : background_(std::move(background.labels)) {
  Selection holes = select(std::move(background.components), background_->extent(), per_slice,
                           {.max_size = max_size, .clear_border = true});
  map_ = std::move(holes.map);
  count_ = holes.components.size();
  elements_ = std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0});
}

void Holes::draw_filled(std::int64_t first_row, BitVolume& out) const {
  constexpr std::int64_t kElementsATask = 1 << 18;
  const std::int64_t all = out.extent().rows();
  const int width = out.extent().width;
  background_->prepare(first_row, all);
  using Rows = tbb::blocked_range<std::int64_t>;
  const std::int64_t rows_each = std::max<std::int64_t>(1, kElementsATask / std::max(1, width));
  const auto draw = [&](const Rows& rows) {
    LabelRuns runs;
    background_->list_runs(first_row + rows.begin(), rows.end() - rows.begin(), runs, nullptr);
    std::size_t i = 0;
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row) {
      std::uint32_t* const bits = out.row(row);
      std::fill_n(bits, out.row_pitch(), 0);
      for (const std::size_t end = runs.ends[static_cast<std::size_t>(row - rows.begin())]; i < end; ++i)
        if (const LabelRun& run = runs.runs[i]; !map_.empty() && map_[run.label] == 0)
          fill_span(bits, run.begin, run.end);
      invert_row(bits, width);
    }
  };
  tbb::parallel_for(Rows(0, all, static_cast<std::size_t>(rows_each)), draw, tbb::simple_partitioner());
}

}  // namespace gpuccl
