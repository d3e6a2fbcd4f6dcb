#include "common/row_source.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/labels_in_memory.hpp"

namespace gpuccl {

bool RowSource::next(std::int64_t& begin, std::int64_t& end) {
  const Extent extent = labels_.extent();
  if (measured_ == end_) return false;
  begin = measured_;
  do {
    keep(std::max(first_, measured_ - rows_before_));
    ready_from_ = ready_to_;
    ready_to_ = labels_.prepare(ready_from_, 1);
    // Rows ahead belong to the same slice.
    const std::int64_t complete = ready_to_ % extent.height == 0 ? ready_to_ : ready_to_ - rows_ahead_;
    measured_ = std::min(end_, std::max(measured_, complete));
  } while (measured_ == begin);
  end = measured_;
  return true;
}

void RowSource::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const {
  const std::int64_t kept = std::clamp<std::int64_t>(ready_from_ - first_row, 0, rows);
  if (kept == 0) return labels_.list_runs(first_row, rows, out, map_);
  LabelRuns more;
  if (kept < rows) labels_.list_runs(ready_from_, rows - kept, more, map_);
  out.runs.clear();
  out.ends.clear();
  append_rows(out, kept_, static_cast<std::size_t>(first_row - kept_from_), static_cast<std::size_t>(kept));
  append_rows(out, more, 0, more.ends.size());
}

void RowSource::keep(std::int64_t first_row) {
  if (ready_to_ == first_) return;
  LabelRuns kept;
  list_runs(first_row, ready_to_ - first_row, kept);
  kept_ = std::move(kept);
  kept_from_ = first_row;
}

}  // namespace gpuccl
