#include "parts/rows_of_part.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "common/labels_in_memory.hpp"
#include "gpuccl/types.hpp"
#include "parts/message.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

BorderRows list_border_rows(const NumberedSlab& slab, Extent whole, const PeriodicAxes& periodic) {
  BorderRows found;
  const RowRange own = rows_of(slab.slab, whole);
  constexpr std::int64_t kRowsAtOnce = 256;
  LabelRuns listed;
  for (std::int64_t first = own.begin; first < own.end; first += kRowsAtOnce) {
    const std::int64_t rows = std::min(kRowsAtOnce, own.end - first);
    slab.labels->prepare(first - own.begin, rows);
    slab.labels->list_runs(first - own.begin, rows, listed, slab.map());
    std::size_t begin = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::size_t end = listed.ends[static_cast<std::size_t>(i)];
      const std::span<const LabelRun> row(listed.runs.data() + begin, end - begin);
      begin = end;
      const auto y = (first + i) % whole.height, z = (first + i) / whole.height;
      const bool all = (periodic[1] && (y == 0 || y == whole.height - 1)) ||
                       (periodic[2] && (z == 0 || z == whole.depth - 1));
      if (row.empty() || (!all && !periodic[0])) continue;
      found.rows.push_back(first + i);
      if (all || row.size() < 2) {
        found.runs.runs.insert(found.runs.runs.end(), row.begin(), row.end());
      } else {
        found.runs.runs.insert(found.runs.runs.end(), {row.front(), row.back()});
      }
      found.runs.ends.push_back(found.runs.runs.size());
    }
  }
  return found;
}

void put(Message& message, const BorderRows& rows) {
  put(message, rows.rows);
  put(message, rows.runs.runs);
  put(message, rows.runs.ends);
}

BorderRows take_border_rows(TakenMessage& message) {
  BorderRows rows;
  message.take(rows.rows);
  message.take(rows.runs.runs);
  message.take(rows.runs.ends);
  return rows;
}

void keep(BorderRuns& borders, const BorderRows& rows) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::size_t end = rows.runs.ends[i];
    borders.keep(rows.rows[i], {rows.runs.runs.data() + begin, end - begin});
    begin = end;
  }
}

RowsOfPart::RowsOfPart(PartLink& link, Extent whole, const RowsAround& reach, const NumberedPart& part,
                       const std::function<Label(Label)>& number)
    : extent_(whole), part_(part), own_(rows_of(part.labels.slab, whole)) {
  for (const Label label : part.labels.numbers) numbers_.push_back(number(label));
  exchange(link, reach, number);
}

void RowsOfPart::render(std::int64_t, std::int64_t, LabelsOut, const Label*) const {
  throw Error(Failure::internal, "rows of a part cannot be rendered with those around them");
}

void RowsOfPart::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                           const Label* map) const {
  out.runs.clear();
  out.ends.clear();
  const auto list = [&](const RowRange& range, const auto& add) {
    const RowRange some = common_rows(range, {first_row, first_row + rows});
    if (!some.empty()) add(some.begin - range.begin, some.count());
  };
  const auto list_around = [&](bool before) {
    for (const Around& around : around_)
      if ((around.rows.begin < own_.begin) == before)
        list(around.rows, [&](std::int64_t first, std::int64_t count) {
          append_rows(out, around.runs, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        });
  };
  list_around(true);
  list(own_, [&](std::int64_t first, std::int64_t count) {
    LabelRuns some;
    part_.labels.labels->list_runs(first, count, some, numbers_.data());
    append_rows(out, some, 0, some.ends.size());
  });
  list_around(false);
  if (map != nullptr) map_runs(out, map);
}

/// Sends rows to parts that they are around, and receives those around this one.
void RowsOfPart::exchange(PartLink& link, const RowsAround& reach,
                          const std::function<Label(Label)>& number) {
  const std::vector<RowRange> parts = rows_of_parts(extent_, link.parts());
  const auto rows = [&](int part) { return parts[static_cast<std::size_t>(part)]; };
  // Returns the halo rows of one part that another part owns.
  const auto around = [&](int one, int other) {
    const RowRange of = rows(other);
    if (of.empty() || one == other) return RowRange{};
    return common_rows(rows(one), one < other ? RowRange{of.begin - reach.before, of.begin}
                                              : RowRange{of.end, of.end + reach.behind});
  };
  for (int other = 0; other < link.parts(); ++other)
    if (const RowRange mine = around(link.part(), other); !mine.empty()) {
      LabelRuns runs;
      part_.labels.labels->prepare(mine.begin - own_.begin, mine.end - mine.begin);
      part_.labels.labels->list_runs(mine.begin - own_.begin, mine.end - mine.begin, runs,
                                     part_.labels.map());
      Message message;
      put(message, runs.runs);
      put(message, runs.ends);
      link.send(other, std::move(message));
    }
  for (int other = 0; other < link.parts(); ++other)
    if (const RowRange theirs = around(other, link.part()); !theirs.empty()) {
      TakenMessage message(link.receive(other));
      Around& here = around_.emplace_back(Around{theirs, {}});
      message.take(here.runs.runs);
      message.take(here.runs.ends);
      for (LabelRun& run : here.runs.runs) run.label = number(run.label);
    }
}

}  // namespace gpuccl
