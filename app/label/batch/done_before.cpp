#include "app/label/batch/done_before.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/files/file_identity.hpp"
#include "io/files/input_name.hpp"
#include "io/report/reported_run.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

bool is_newer(const std::string& path, const std::string& than) {
  std::error_code unknown;
  return fs::last_write_time(path, unknown) > fs::last_write_time(than, unknown);
}

bool is_as_reported(const std::string& path, const io::ReportedFile& reported) {
  return reported.path == io::reported_path(path) && reported.bytes == io::bytes_of_regular_file(path);
}

/// Whether the output `path`, if one is asked for, is the one in the report, which is written last.
bool is_of_run(const std::string& path, const io::ReportedFile& reported, const std::string& report) {
  if (path.empty()) return true;
  return is_as_reported(path, reported) && !is_newer(path, report);
}

}  // namespace

bool is_done(const LabelPaths& files, const std::string& deciding) {
  const std::vector<std::string> list = files.outputs();
  std::error_code unknown;
  const bool all_there = std::all_of(list.begin(), list.end(),
                                     [&](const std::string& path) { return fs::exists(path, unknown); });
  if (!all_there || files.json.empty()) return all_there;
  const std::optional<io::ReportedRun> run = io::read_reported_run(files.json);
  return run && run->complete && run->options == deciding && is_as_reported(files.input, run->input) &&
         !is_newer(io::split_input(files.input).file, files.json) &&
         (files.intensity.empty() || !is_newer(io::split_input(files.intensity).file, files.json)) &&
         is_of_run(files.image, run->output, files.json) &&
         is_of_run(files.preview, run->preview, files.json) && is_of_run(files.stats, run->stats, files.json);
}

}  // namespace gpuccl::app
