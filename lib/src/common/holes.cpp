#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "common/labels_in_memory.hpp"
#include "common/row_bits.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/selection.hpp"

namespace gpuccl {

/// Writes rows from `first_row` on to all of `out`, using all threads: an element is foreground unless
/// left_out(label) is true. Calls LabelRows::prepare().
template <class LeftOut>
void draw_others(const LabelRows& labels, std::int64_t first_row, BitVolume& out, LeftOut left_out) {
  constexpr std::int64_t kElementsATask = 1 << 16;  // their runs stay in the cache
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

Holes::Holes(Labeling background, bool per_slice, std::uint64_t max_size)
    : background_(std::move(background.labels)) {
  Selection holes = select(std::move(background.components), background_->extent(), per_slice,
                           {.max_size = max_size, .clear_border = true});
  map_ = std::move(holes.map);
  count_ = holes.components.size();
  elements_ = std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0});
}

void Holes::draw_filled(std::int64_t first_row, BitVolume& out) const {
  gpuccl::draw_filled(*background_, map_, first_row, out);
}

void draw_filled(const LabelRows& background, const std::vector<Label>& holes, std::int64_t first_row,
                 BitVolume& out) {
  draw_others(background, first_row, out, [&](Label label) { return !holes.empty() && holes[label] == 0; });
}

void draw_background(const LabelRows& labels, std::int64_t first_row, BitVolume& out) {
  if (const SpanSource* spans = spans_of(labels)) {
    const BitView image = spans->bits();
    const auto bytes = static_cast<std::size_t>(words_per_row(image.extent.width)) * sizeof(std::uint32_t);
    tbb::parallel_for(std::int64_t{0}, out.extent().rows(), [&](std::int64_t row) {
      std::memcpy(out.row(row), image.row(first_row + row), bytes);
    });
    return invert(out);
  }
  draw_others(labels, first_row, out, [](Label) { return true; });
}

}  // namespace gpuccl
