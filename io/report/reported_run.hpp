#pragma once

#include <optional>
#include <string>

#include "io/report/report.hpp"

namespace gpuccl::io {

/// What a report says of the run that wrote it, as far as that tells which outputs are of that run.
struct ReportedRun {
  bool complete = false;  // the report has its end
  std::string options;
  ReportedFile input, intensity, output, preview, stats, contacts;
};

/// Nothing if the file `path` is not there, or is no report, or has lost its head.
std::optional<ReportedRun> read_reported_run(const std::string& path);

/// `path` as a report shows it, which is UTF-8 whatever the path is.
std::string reported_path(const std::string& path);

}  // namespace gpuccl::io
