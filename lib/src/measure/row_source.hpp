#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl::measuring {

/// Rows in order, of which some at a time can be listed; those before them that are still looked at are kept.
class RowSource {
 public:
  /// Rows [begin, end), of which those from `first` on and up to `rows_ahead` behind the end are looked at.
  RowSource(const LabelSource& labels, std::int64_t rows_before, std::int64_t rows_ahead, std::int64_t first,
            std::int64_t begin, std::int64_t end)
      : labels_(labels),
        rows_before_(rows_before),
        rows_ahead_(rows_ahead),
        first_(first),
        end_(end),
        measured_(begin),
        ready_from_(first),
        ready_to_(first) {}

  /// The next rows that can be measured, [begin, end); none behind the last.
  bool next(std::int64_t& begin, std::int64_t& end);
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const;

 private:
  /// Keeps the rows from `first_row` on that were ready.
  void keep(std::int64_t first_row);

  const LabelSource& labels_;
  std::int64_t rows_before_, rows_ahead_, first_, end_;
  std::int64_t measured_;               // up to this row
  std::int64_t ready_from_, ready_to_;  // that the labels can list
  LabelRuns kept_;
  std::int64_t kept_from_ = 0;
};

}  // namespace gpuccl::measuring
