#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

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
    const std::size_t count = background.components.size();
    std::vector<Label> around(count);
    for (std::int64_t row = 0, end = 0; row < labeling.extent.rows(); row = end) {
      end = std::min(background.labels->prepare(row, 1), labeling.labels->prepare(row, 1));
      find_around(labeling, row, end, around);
    }
    counts_.resize(labeling.components.size());
    for (std::size_t i = 0; i < count; ++i)
      if (around[i] != 0 && !touches_border(background.components.box[i], labeling.extent))
        ++counts_[around[i] - 1];
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto count = static_cast<double>(counts_[sums.index]);
    values[cavities] = count;
    values[tunnels] = 1 + count - values[euler_number];
  }

 private:
  static void find_around(const Labeling& labeling, std::int64_t begin, std::int64_t end,
                          std::vector<Label>& around) {
    constexpr std::int64_t kElementsATask = 1 << 16;  // whose runs stay in the cache
    const Column<Box>& boxes = labeling.request.background->components.box;
    using Rows = tbb::blocked_range<std::int64_t>;
    const auto rows_each =
        static_cast<std::size_t>(std::max<std::int64_t>(1, kElementsATask / labeling.extent.width));
    const auto find = [&](const Rows& rows) {
      LabelRuns here, background;
      const std::int64_t count = rows.end() - rows.begin();
      labeling.labels->list_runs(rows.begin(), count, here, nullptr);
      labeling.request.background->labels->list_runs(rows.begin(), count, background, nullptr);
      std::size_t left = 0, i = 0;
      for (std::size_t row = 0; row < background.ends.size(); ++row) {
        for (; i < background.ends[row]; ++i) {
          const LabelRun& run = background.runs[i];
          while (left < here.ends[row] && here.runs[left].end < run.begin) ++left;
          if (run.begin == 0 || run.begin != boxes[run.label - 1].min[0]) continue;
          // Whoever else writes it writes the same.
          std::atomic_ref(around[run.label - 1]).store(here.runs[left].label, std::memory_order_relaxed);
        }
        left = here.ends[row];
      }
    };
    tbb::parallel_for(Rows(begin, end, rows_each), find, tbb::simple_partitioner());
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
