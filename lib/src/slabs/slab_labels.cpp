#include "slabs/slab_labels.hpp"

#include <algorithm>
#include <numeric>

#include "common/labels_in_memory.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

std::int64_t LazySlabLabels::prepare(std::int64_t first_row, std::int64_t rows) const {
  if (first_row < before_begin_) {  // restarts from the first slab
    slab_.reset();
    slab_rows_ = {};
    before_.clear();
    before_begin_ = 0;
    next_ = 0;
  }
  while (slab_rows_.end < first_row + rows) {
    keep_from(first_row);
    while (rows_of(slabs_[next_], extent_).end <= first_row) ++next_;
    load(next_++);
  }
  if (first_row + rows <= slab_rows_.begin) return slab_rows_.begin;
  return slab_rows_.end;
}

/// Renders the rows of the slab in memory from `row` on, before the slab is freed.
void LazySlabLabels::keep_from(std::int64_t row) const {
  const std::int64_t gone = std::min(row, slab_rows_.end) - before_begin_;
  const std::int64_t held = static_cast<std::int64_t>(before_.size()) / extent_.width;
  before_.erase(before_.begin(), before_.begin() + std::min(gone, held) * extent_.width);
  before_begin_ = std::max(row, before_begin_);
  const std::int64_t begin = std::max(row, slab_rows_.begin);
  if (begin >= slab_rows_.end) return;
  const std::size_t size = before_.size();
  before_.resize(size + static_cast<std::size_t>((slab_rows_.end - begin) * extent_.width));
  slab_->labeled.labels->render(begin - slab_rows_.begin, slab_rows_.end - begin, before_.data() + size,
                                components_.map(next_ - 1));
}

void LazySlabLabels::load(std::size_t slab) const {
  slab_.reset();
  slab_ = label_(slabs_[slab]);
  slab_rows_ = rows_of(slabs_[slab], extent_);
  const UninitializedVector<std::uint64_t>& area = slab_->labeled.components.area;
  if (slab_->labeled.labels->count() != components_.count(slab) ||
      std::accumulate(area.begin(), area.end(), std::uint64_t{0}) != components_.area(slab))
    throw Error(ErrorCode::data, "the input changed while it was read");
  slab_->labeled.components = {};
}

template <class T>
void LazySlabLabels::draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
  const std::int64_t from_before = std::clamp<std::int64_t>(slab_rows_.begin - first_row, 0, rows);
  if (from_before > 0)
    copy_labels(before_.data() + (first_row - before_begin_) * extent_.width, from_before * extent_.width,
                out, map);
  first_row += from_before;
  rows -= from_before;
  out += from_before * extent_.width;
  if (rows > 0)
    render_mapped(*slab_->labeled.labels, first_row - slab_rows_.begin, rows, out, components_.map(next_ - 1),
                  map);
}

void LazySlabLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out,
                            const Label* map) const {
  std::visit([&](auto* to) { draw(first_row, rows, to, map); }, out);
}

void LazySlabLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                               const Label* map) const {
  const std::int64_t from_before = std::clamp<std::int64_t>(slab_rows_.begin - first_row, 0, rows);
  if (from_before == 0) {
    const LabelRows& labels = *slab_->labeled.labels;
    labels.list_runs(first_row - slab_rows_.begin, rows, out, components_.map(next_ - 1));
    if (map != nullptr) map_runs(out, map);
    return;
  }
  LabelRows::list_runs(first_row, rows, out, map);
}

/// Calls visit(part, first row in it, rows) for each part that contains some of the rows.
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
  if (!prepared_) return extent_.rows();
  const Part& part = parts_[*prepared_];
  const RowRange& own = part.rows;
  if (part.labels == nullptr || first_row >= own.end) return extent_.rows();
  if (first_row + rows <= own.begin) return own.begin;
  const std::int64_t first = std::max(first_row, own.begin) - own.begin;
  const std::int64_t end = std::min(first_row + rows, own.end) - own.begin;
  const std::int64_t ready = own.begin + part.labels->prepare(first, end - first);
  return ready < own.end ? ready : extent_.rows();
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
