#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl::measuring {

/// All rows in order, of which some at a time can be listed; those before them that are still looked at are
/// kept.
class RowSource {
 public:
  RowSource(const LabelSource& labels, std::int64_t rows_before, std::int64_t rows_ahead)
      : labels_(labels), rows_before_(rows_before), rows_ahead_(rows_ahead) {}

  /// The next rows that can be measured, [begin, end); none behind the last.
  bool next(std::int64_t& begin, std::int64_t& end);
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const;

 private:
  /// Keeps the rows from `first_row` on that were ready.
  void keep(std::int64_t first_row);

  const LabelSource& labels_;
  std::int64_t rows_before_, rows_ahead_;
  std::int64_t measured_ = 0;                   // rows
  std::int64_t ready_from_ = 0, ready_to_ = 0;  // that the labels can list
  LabelRuns kept_;
  std::int64_t kept_from_ = 0;
};

}  // namespace gpuccl::measuring
