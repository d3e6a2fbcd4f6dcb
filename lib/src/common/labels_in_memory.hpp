#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Renders labels from memory, as LabelRows::render() does. Returns the end of the rows written.
template <class From, class To>
To* copy_labels(const From* from, std::int64_t count, To* to, const Label* map) {
  if (map != nullptr)
    return std::transform(from, from + count, to, [map](From label) { return static_cast<To>(map[label]); });
  return std::transform(from, from + count, to, [](From label) { return static_cast<To>(label); });
}

/// Adds a row of labels in memory.
inline void add_runs(const Label* row, int width, LabelRuns& out) {
  const Label* const end = row + width;
  const auto is_set = [](Label label) { return label != 0; };
  for (const Label* at = row; (at = std::find_if(at, end, is_set)) != end;) {
    const Label label = *at;
    const Label* const begin = at;
    at = std::find_if(at, end, [label](Label other) { return other != label; });
    out.runs.push_back({static_cast<int>(begin - row), static_cast<int>(at - row), label});
  }
  out.ends.push_back(out.runs.size());
}

/// Appends rows [first, first + rows) of `from`.
inline void append_rows(LabelRuns& out, const LabelRuns& from, std::size_t first, std::size_t rows) {
  for (std::size_t row = first; row < first + rows; ++row) {
    const std::span<const LabelRun> runs = from.row(row);
    out.runs.insert(out.runs.end(), runs.begin(), runs.end());
    out.ends.push_back(out.runs.size());
  }
}

/// Calls visit(row, runs) for rows [begin, end) of all rows, in order.
template <class Visit>
void for_each_row(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Label* map,
                  Visit visit) {
  constexpr std::int64_t kRowsAtOnce = 64;
  LabelRuns listed;
  for (std::int64_t row = begin, first = begin, ready = begin; row < end; first = row) {
    if (row >= ready) ready = labels.prepare(row, 1);
    labels.list_runs(first, std::min({ready, row + kRowsAtOnce, end}) - first, listed, map);
    for (std::size_t i = 0; i < listed.ends.size(); ++i) visit(row++, listed.row(i));
  }
}

/// Applies the map of LabelRows::render(). Removes runs that become background.
inline void map_runs(LabelRuns& runs, const Label* map) {
  std::size_t kept = 0, i = 0;
  for (std::size_t& end : runs.ends) {
    for (; i < end; ++i) {
      LabelRun run = runs.runs[i];
      run.label = map[run.label];
      if (run.label != 0) runs.runs[kept++] = run;
    }
    end = kept;
  }
  runs.runs.resize(kept);
}

/// Labels of an image in memory that can list the columns of a label with less work than its runs.
class SpanSource {
 public:
  virtual ~SpanSource() = default;

  /// Returns the image that was labeled.
  virtual BitView bits() const = 0;
  /// Replaces `out` by spans of rows [first_row, first_row + rows) of all rows: ranges of columns whose
  /// foreground has one label. Spans may begin and end with background.
  virtual void list_spans(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const = 0;
};

/// Returns `labels` as a SpanSource, or null if they are not one.
inline const SpanSource* spans_of(const LabelRows& labels) {
  return dynamic_cast<const SpanSource*>(&labels);
}

/// Converts runs to spans: merges consecutive runs of a row with the same label.
void join_runs(LabelRuns& rows);

/// Lists the spans of any labels.
void list_spans(const LabelRows& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out);

}  // namespace gpuccl
