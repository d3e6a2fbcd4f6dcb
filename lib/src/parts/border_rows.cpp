#include "parts/border_rows.hpp"

#include <algorithm>
#include <span>

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

}  // namespace gpuccl
