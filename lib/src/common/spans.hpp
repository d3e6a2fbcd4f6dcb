#pragma once

#include <cstdint>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Labels of an image that is in memory, which know more cheaply than runs in which columns a label is.
class SpanSource {
 public:
  virtual ~SpanSource() = default;

  /// The image that was labeled.
  virtual BitView bits() const = 0;
  /// Writes spans of rows [first_row, first_row + rows) of all rows instead of what `out` held: columns
  /// whose foreground is all of one label. They may begin and end where the row has none of it.
  virtual void list_spans(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const = 0;
};

/// `labels` as such a source; null if they are none.
inline const SpanSource* spans_of(const LabelSource& labels) {
  return dynamic_cast<const SpanSource*>(&labels);
}

/// Makes spans of runs: those that follow each other in a row and have one label become one.
void join_runs(LabelRuns& rows);

/// The spans of any labels.
void list_spans(const LabelSource& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out);

}  // namespace gpuccl
