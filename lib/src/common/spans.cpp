#include "common/spans.hpp"

namespace gpuccl {

void join_runs(LabelRuns& rows) {
  std::size_t count = 0, i = 0;
  for (std::size_t& end : rows.ends) {
    const std::size_t first = count;
    for (; i < end; ++i) {
      if (count > first && rows.runs[count - 1].label == rows.runs[i].label) {
        rows.runs[count - 1].end = rows.runs[i].end;
      } else {
        rows.runs[count++] = rows.runs[i];
      }
    }
    end = count;
  }
  rows.runs.resize(count);
}

void list_spans(const LabelSource& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out) {
  if (const SpanSource* spans = spans_of(labels)) return spans->list_spans(first_row, rows, out);
  labels.list_runs(first_row, rows, out, nullptr);
  join_runs(out);
}

}  // namespace gpuccl
