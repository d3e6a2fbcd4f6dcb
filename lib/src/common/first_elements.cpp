// If the index grows fastest along x, the first element of a component is in a column where it begins. Then
// spans of rows suffice, which are far fewer than runs in noise, and most of them begin further right than
// their component.

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "common/labels_in_memory.hpp"
#include "gpuccl/detail/count_runs.hpp"

namespace gpuccl {

std::vector<std::uint64_t> first_elements(const LabelRows& labels, const Components& components, Label count,
                                          const std::array<std::uint64_t, 3>& steps, const Label* map) {
  constexpr std::int64_t kElementsATask = 1 << 18;
  std::vector<std::uint64_t> firsts(std::size_t{count} + 1, UINT64_MAX);
  const Extent extent = labels.extent();
  const bool by_columns =
      (extent.height == 1 || steps[0] > steps[1]) && (extent.depth == 1 || steps[0] > steps[2]);
  constexpr std::int64_t kLarge = 32;  // elements for each component, on average
  const bool are_large = extent.elements() / kLarge > std::int64_t{count};
  const SpanSource* const spans = by_columns && are_large ? spans_of(labels) : nullptr;
  const Box* const boxes = map == nullptr && components.size() == count ? components.box.data() : nullptr;
  tbb::enumerable_thread_specific<LabelRuns> listed;
  const std::int64_t rows = std::max<std::int64_t>(1, kElementsATask / std::max(1, extent.width));
  tbb::parallel_for(
      std::int64_t{0}, (extent.rows() + rows - 1) / rows,
      [&, boxes, by_columns, spans, extent](std::int64_t task) {
        const std::int64_t first_row = task * rows, end = std::min(extent.rows(), first_row + rows);
        LabelRuns& runs = listed.local();
        if (spans) {
          spans->list_spans(first_row, end - first_row, runs);
        } else {
          labels.list_runs(first_row, end - first_row, runs, map);
        }
        for (std::int64_t row = first_row; row < end; ++row) {
          const auto y = static_cast<int>(row % extent.height), z = static_cast<int>(row / extent.height);
          const std::uint64_t begin =
              static_cast<std::uint64_t>(y) * steps[1] + static_cast<std::uint64_t>(z) * steps[2];
          const std::uint32_t* const bits = spans ? spans->bits().row(y, z) : nullptr;
          for (const LabelRun& run : runs.row(static_cast<std::size_t>(row - first_row))) {
            const Label label = spans && map ? map[run.label] : run.label;
            const Box* const box = boxes ? boxes + (label - 1) : nullptr;
            if (by_columns && box && run.begin != box->min[0]) continue;
            if (bits && (bits[run.begin / 32] >> run.begin % 32 & 1) == 0)
              continue;  // the span begins in another row
            const std::uint64_t index = begin + static_cast<std::uint64_t>(run.begin) * steps[0];
            const auto row_of = [&](const std::array<int, 3>& at) {
              return std::int64_t{at[2]} * extent.height + at[1];
            };
            if (box && row_of(box->min) >= first_row && row_of(box->max) < end) {
              firsts[label] = std::min(firsts[label], index);  // of this thread alone
              continue;
            }
            const std::atomic_ref<std::uint64_t> first(firsts[label]);
            std::uint64_t known = first.load(std::memory_order_relaxed);
            while (index < known && !first.compare_exchange_weak(known, index, std::memory_order_relaxed)) {
            }
          }
        }
      });
  return firsts;
}

}  // namespace gpuccl
