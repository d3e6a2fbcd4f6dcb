#pragma once

#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Rows in order, of which only a few can be listed at a time. Keeps earlier rows that are still needed.
class RowSource {
 public:
  /// Source of rows [begin, end). Also reads rows from `first` on, and up to `rows_ahead` rows after the end.
  /// `map`: as in LabelRows::list_runs().
  RowSource(const LabelRows& labels, std::int64_t rows_before, std::int64_t rows_ahead, std::int64_t first,
            std::int64_t begin, std::int64_t end, const Label* map = nullptr)
      : labels_(labels),
        map_(map),
        rows_before_(rows_before),
        rows_ahead_(rows_ahead),
        first_(first),
        end_(end),
        measured_(begin),
        ready_from_(first),
        ready_to_(first) {}

  /// Returns the next rows that can be measured, [begin, end); an empty range after the last row.
  bool next(std::int64_t& begin, std::int64_t& end);
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const;

 private:
  /// Keeps the prepared rows from `first_row` on.
  void keep(std::int64_t first_row);

  const LabelRows& labels_;
  const Label* map_;
  std::int64_t rows_before_, rows_ahead_, first_, end_;
  std::int64_t measured_;               // rows before this one are measured
  std::int64_t ready_from_, ready_to_;  // rows that the labels can list
  LabelRuns kept_;
  std::int64_t kept_from_ = 0;
};

}  // namespace gpuccl
