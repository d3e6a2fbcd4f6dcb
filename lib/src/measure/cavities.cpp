#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/spans.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

bool touches_border(const Box& box, const Extent& extent) {
  const int size[] = {extent.width, extent.height, extent.depth};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (box.min[axis] == 0 || box.max[axis] == size[axis] - 1) return true;
  return false;
}

/// How many components of the background each component surrounds. What surrounds one is to the left of any
/// of its first elements along x: what it surrounds itself cannot be there.
class Cavities final : public Group {
 public:
  explicit Cavities(const Labeling& labeling) {
    if (labeling.labels == nullptr) return;
    const Labeled& background = *labeling.request.background;
    const std::vector<char> looked_at = rows_of_cavities(background.components, labeling.extent);
    std::vector<Label> around(background.components.size());
    for (std::int64_t row = 0, end = 0; row < labeling.extent.rows(); row = end) {
      end = std::min(background.labels->prepare(row, 1), labeling.labels->prepare(row, 1));
      find_around(labeling, row, end, looked_at, around);
    }
    counts_.resize(labeling.components.size());
    for (const Label label : around)
      if (label != 0) ++counts_[label - 1];
  }

  std::size_t bytes_each() const override { return sizeof(std::uint32_t); }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto count = static_cast<double>(counts_[sums.index]);
    values[cavities] = count;
    values[tunnels] = 1 + count - values[euler_number];
  }

 private:
  /// A mark for each row that a cavity may be in.
  static std::vector<char> rows_of_cavities(const Components& background, const Extent& extent) {
    std::vector<char> rows(static_cast<std::size_t>(extent.rows()));
    for (const Box& box : background.box) {
      if (touches_border(box, extent)) continue;
      for (std::int64_t z = box.min[2]; z <= box.max[2]; ++z)
        std::fill_n(rows.begin() + z * extent.height + box.min[1], box.max[1] - box.min[1] + 1, 1);
    }
    return rows;
  }

  static void find_around(const Labeling& labeling, std::int64_t begin, std::int64_t end,
                          const std::vector<char>& looked_at, std::vector<Label>& around) {
    constexpr std::int64_t kElementsATask = 1 << 16;  // whose runs stay in the cache
    using Rows = tbb::blocked_range<std::int64_t>;
    const auto rows_each =
        static_cast<std::size_t>(std::max<std::int64_t>(1, kElementsATask / labeling.extent.width));
    const auto find = [&](const Rows& rows) {
      const auto mark = [&](std::int64_t row) { return looked_at.begin() + row; };
      for (std::int64_t row = rows.begin(), next = 0; row < rows.end(); row = next) {
        row = std::find(mark(row), mark(rows.end()), 1) - looked_at.begin();
        next = std::find(mark(row), mark(rows.end()), 0) - looked_at.begin();
        if (row < next) find_in_rows(labeling, row, next, around);
      }
    };
    tbb::parallel_for(Rows(begin, end, rows_each), find, tbb::simple_partitioner());
  }

  static void find_in_rows(const Labeling& labeling, std::int64_t begin, std::int64_t end,
                           std::vector<Label>& around) {
    const Labeled& background = *labeling.request.background;
    const SpanSource* const source = spans_of(*background.labels);
    LabelRuns here, there;
    list_spans(*background.labels, begin, end - begin, there);
    // A span of the background may begin where this row has none of it.
    const auto begins_with_it = [&](std::size_t row, int x) {
      return source == nullptr ||
             (source->bits().row(begin + static_cast<std::int64_t>(row))[x / 32] >> (x % 32) & 1u) != 0;
    };
    for (std::size_t row = 0, i = 0; row < there.ends.size(); ++row) {
      bool is_listed = false;
      std::size_t left = 0;
      for (; i < there.ends[row]; ++i) {
        const LabelRun& span = there.runs[i];
        const Box& box = background.components.box[span.label - 1];
        if (span.begin != box.min[0] || touches_border(box, labeling.extent) ||
            !begins_with_it(row, span.begin))
          continue;
        // Whoever else writes it writes the same.
        const std::atomic_ref found(around[span.label - 1]);
        if (found.load(std::memory_order_relaxed) != 0) continue;
        if (!is_listed) list_spans(*labeling.labels, begin + static_cast<std::int64_t>(row), 1, here);
        is_listed = true;
        while (here.runs[left].end < span.begin) ++left;
        found.store(here.runs[left].label, std::memory_order_relaxed);
      }
    }
  }

  std::vector<std::uint32_t> counts_;
};

}  // namespace

std::unique_ptr<Group> make_cavities(const Labeling& labeling) {
  if (!needs_background(labeling.request)) return nullptr;
  return std::make_unique<Cavities>(labeling);
}

}  // namespace gpuccl::measuring

namespace gpuccl {

bool needs_background(const MeasureRequest& request) {
  const auto is_wanted = [&](MeasureId id) { return request.wanted[static_cast<std::size_t>(id)]; };
  return is_3d(request.connectivity) && (is_wanted(MeasureId::cavities) || is_wanted(MeasureId::tunnels));
}

}  // namespace gpuccl
