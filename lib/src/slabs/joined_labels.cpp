#include "slabs/joined_labels.hpp"

#include <algorithm>

#include "common/add_runs.hpp"
#include "slabs/render_mapped.hpp"

namespace gpuccl {

/// Calls visit(part, first row in it, rows) for each part that has some of the rows.
template <class Visit>
void JoinedLabels::for_each_part(std::int64_t first_row, std::int64_t rows, Visit visit) const {
  const std::int64_t end = first_row + rows;
  const auto first = std::partition_point(parts_.begin(), parts_.end(),
                                          [&](const Part& part) { return part.rows.end <= first_row; });
  for (auto part = first; part != parts_.end() && part->rows.begin < end; ++part) {
    const std::int64_t begin = std::max(first_row, part->rows.begin);
    visit(*part, begin - part->rows.begin, std::min(end, part->rows.end) - begin);
  }
}

std::int64_t JoinedLabels::prepare(std::int64_t first_row, std::int64_t rows) const {
  if (parts_.size() != 1) return extent_.rows();
  return prepare_own(parts_[0].labels.get(), parts_[0].rows, extent_.rows(), first_row, rows);
}

void JoinedLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  for_each_part(first_row, rows, [&](const Part& part, std::int64_t first, std::int64_t count) {
    std::visit(
        [&](auto*& to) {
          render_mapped(*part.labels, first, count, to, part.map(), map);
          to += count * extent_.width;
        },
        out);
  });
}

void JoinedLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                             const Label* map) const {
  out.runs.clear();
  out.ends.clear();
  LabelRuns of_part;
  for_each_part(first_row, rows, [&](const Part& part, std::int64_t first, std::int64_t count) {
    part.labels->list_runs(first, count, of_part, part.map());
    if (map != nullptr) map_runs(of_part, map);
    append_rows(out, of_part, 0, of_part.ends.size());
  });
}

}  // namespace gpuccl
