#include "slabs/joined_labels.hpp"

#include <algorithm>

#include "common/add_runs.hpp"

namespace gpuccl {

/// Calls visit(slab, first row in it, rows) for each slab that has some of the rows.
template <class Visit>
void JoinedLabels::for_each_slab(std::int64_t first_row, std::int64_t rows, Visit visit) const {
  const std::int64_t end = first_row + rows;
  const auto first = std::partition_point(rows_.begin(), rows_.end(),
                                          [&](const RowRange& slab) { return slab.end <= first_row; });
  for (auto slab = first; slab != rows_.end() && slab->begin < end; ++slab) {
    const std::int64_t begin = std::max(first_row, slab->begin);
    visit(static_cast<std::size_t>(slab - rows_.begin()), begin - slab->begin,
          std::min(end, slab->end) - begin);
  }
}

void JoinedLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  for_each_slab(first_row, rows, [&](std::size_t slab, std::int64_t first, std::int64_t count) {
    std::visit(
        [&](auto*& to) {
          render_mapped(*slabs_[slab], first, count, to, components_.map(slab), map);
          to += count * extent_.width;
        },
        out);
  });
}

void JoinedLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                             const Label* map) const {
  out.runs.clear();
  out.ends.clear();
  LabelRuns of_slab;
  for_each_slab(first_row, rows, [&](std::size_t slab, std::int64_t first, std::int64_t count) {
    slabs_[slab]->list_runs(first, count, of_slab, components_.map(slab));
    if (map != nullptr) map_runs(of_slab, map);
    const std::size_t before = out.runs.size();
    out.runs.insert(out.runs.end(), of_slab.runs.begin(), of_slab.runs.end());
    for (const std::size_t end : of_slab.ends) out.ends.push_back(before + end);
  });
}

}  // namespace gpuccl
