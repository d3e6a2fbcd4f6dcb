#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "gpuccl/types.hpp"
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

/// Returns the first set bit of a row in columns [begin, end); `end` if there is none.
int first_set(const std::uint32_t* row, int begin, int end) {
  constexpr int kBits = 32;
  for (int word = begin / kBits; word * kBits < end; ++word) {
    const std::uint32_t masked = word == begin / kBits ? row[word] & ~0u << begin % kBits : row[word];
    if (masked != 0) return std::min(end, word * kBits + std::countr_zero(masked));
  }
  return end;
}

/// Counts the cavities of each component. The left neighbor of a cavity's first voxel belongs to the
/// enclosing component, because anything inside the cavity comes later in raster order. So each cavity is
/// counted where it begins, and parts add up their counts.
class Cavities final : public Group {
 public:
  explicit Cavities(const MeasureContext& labeling) : counts_(labeling.components.size()) {
    if (labeling.labels == nullptr) return;
    if (labeling.request.background == nullptr)
      throw Error(ErrorCode::usage, "cavities are counted in labels of the background, which are missing");
    const Labeling& background = *labeling.request.background;
    const std::vector<char> looked_at = rows_of_beginnings(background.components, labeling);
    std::vector<Label> around(background.components.size());
    for (std::int64_t row = labeling.begin, end = 0; row < labeling.end; row = end) {
      end = std::min({background.labels->prepare(row, 1), labeling.labels->prepare(row, 1), labeling.end});
      find_around(labeling, row, end, looked_at, around);
    }
    for (const Label label : around)
      if (label != 0) ++counts_[label - 1];
  }

  std::size_t bytes_each() const override { return sizeof(std::uint32_t); }

  bool keeps_state() const override { return true; }
  void save(std::size_t index, std::vector<std::uint64_t>& saved) const override {
    saved.push_back(counts_[index]);
  }
  bool add_saved(std::size_t index, std::span<const std::uint64_t> saved) override {
    counts_[index] += static_cast<std::uint32_t>(saved.front());
    return true;
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto count = static_cast<double>(counts_[sums.index]);
    values[cavities] = count;
    values[tunnels] = 1 + count - values[euler_number];
  }

 private:
  /// Marks the rows, from MeasureContext::begin on, in which a cavity may begin: those of its first slice.
  static std::vector<char> rows_of_beginnings(const Components& background, const MeasureContext& labeling) {
    std::vector<char> rows(static_cast<std::size_t>(labeling.end - labeling.begin));
    const std::int64_t height = labeling.extent.height;
    for (const Box& box : background.box) {
      if (touches_border(box, labeling.extent)) continue;
      const std::int64_t first = std::max(box.min[2] * height + box.min[1], labeling.begin);
      const std::int64_t end = std::min(box.min[2] * height + box.max[1] + 1, labeling.end);
      if (first < end) std::fill_n(rows.begin() + (first - labeling.begin), end - first, 1);
    }
    return rows;
  }

  /// Processes slices concurrently. No component has its first element in two slices.
  static void find_around(const MeasureContext& labeling, std::int64_t begin, std::int64_t end,
                          const std::vector<char>& looked_at, std::vector<Label>& around) {
    constexpr std::int64_t kElementsAtOnce = 1 << 16;  // their runs stay in the cache
    const std::int64_t at_once = std::max<std::int64_t>(1, kElementsAtOnce / labeling.extent.width);
    const std::int64_t height = labeling.extent.height;
    const auto find = [&](std::int64_t row, std::int64_t last, char is_looked_at) {
      const auto mark = [&](std::int64_t of) { return looked_at.begin() + (of - labeling.begin); };
      return row + (std::find(mark(row), mark(last), is_looked_at) - mark(row));
    };
    tbb::parallel_for(begin / height, (end - 1) / height + 1, [&](std::int64_t z) {
      const std::int64_t last = std::min(end, (z + 1) * height);
      for (std::int64_t row = std::max(begin, z * height), next = 0; row < last; row = next) {
        row = find(row, last, 1);
        next = find(row, std::min(row + at_once, last), 0);
        if (row < next) find_in_rows(labeling, row, next, around);
      }
    });
  }

  /// Processes the rows of one slice in order.
  static void find_in_rows(const MeasureContext& labeling, std::int64_t begin, std::int64_t end,
                           std::vector<Label>& around) {
    const Labeling& background = *labeling.request.background;
    const SpanSource* const source = spans_of(*background.labels);
    const std::int64_t z = begin / labeling.extent.height;
    LabelRuns here, there;
    list_spans(*background.labels, begin, end - begin, there);
    for (std::size_t at = 0, i = 0; at < there.ends.size(); ++at) {
      const std::int64_t row = begin + static_cast<std::int64_t>(at);
      bool is_listed = false;
      std::size_t left = 0;
      for (; i < there.ends[at]; ++i) {
        const LabelRun& span = there.runs[i];
        const Box& box = background.components.box[span.label - 1];
        // The slice is checked first, because other threads write the entries of components that begin
        // elsewhere.
        if (z != box.min[2] || touches_border(box, labeling.extent) || around[span.label - 1] != 0) continue;
        // A span covers the rows of a bundle, so in this row it may begin further right, or be empty.
        const int x =
            source == nullptr ? span.begin : first_set(source->bits().row(row), span.begin, span.end);
        if (x == span.end) continue;
        if (!is_listed) list_spans(*labeling.labels, row, 1, here);
        is_listed = true;
        while (left < here.runs.size() && here.runs[left].end < x) ++left;
        if (left == here.runs.size()) throw Error(ErrorCode::data, "has a background of other labels");
        around[span.label - 1] = here.runs[left].label;
      }
    }
  }

  std::vector<std::uint32_t> counts_;
};

}  // namespace

std::unique_ptr<Group> make_cavities(const MeasureContext& labeling) {
  if (!needs_background(labeling.request)) return nullptr;
  return std::make_unique<Cavities>(labeling);
}

}  // namespace gpuccl::measuring
