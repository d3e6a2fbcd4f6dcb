#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/measures.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/report.hpp"

namespace gpuccl::io {

/// Identity of the run that wrote a report, for deciding which outputs belong to it.
struct ReportedRun {
  bool complete = false;  // the report is not truncated
  std::string options;
  std::uint64_t components = 0;
  ReportedFile input;
  std::vector<ReportedFile> intensities;
  ReportedFile output, preview, stats, contacts, outlines, seeds;
};

/// Returns none if the file `path` does not exist, is not a report, or has lost its head.
std::optional<ReportedRun> read_reported_run(const std::string& path);

/// Writes the rows of an input in a table of several inputs from its report, the file `path`. They are those
/// of write_joint_stats_rows(), rounded to `digits`. `page`: the number of an image that is one page. Throws
/// Error (data) for what gpuccl does not write.
void write_reported_rows(const TextSink& sink, const std::string& path, const std::string& input,
                         const std::vector<MeasureColumn>& columns, bool has_values, int digits = kAllDigits,
                         std::optional<int> frame = {}, std::int64_t page = 0);

/// Returns the rows of summary_rows() for an input, or a time point of it, from its report, the file `path`.
/// `pages`: the limit of pages, each of which has a row, and the first one. Throws Error (data) as
/// write_reported_rows() does.
std::string reported_summary(const std::string& path, const std::string& input, std::optional<int> frame,
                             SummaryRows::Pages pages, bool has_values);

}  // namespace gpuccl::io
