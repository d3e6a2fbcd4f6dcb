#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/label/batch/label_batch.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/report/reported_run.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of(const std::string& path) {
  std::error_code unknown;
  return fs::last_write_time(path, unknown);
}

/// Returns whether the run has read the file `path` of `files` as it is now.
bool is_as_read(const LabelPaths& files, const std::string& path, bool stack,
                const io::ReportedFile& reported) {
  if (path.empty()) return reported.path.empty();
  return reported.path == io::as_utf8(path) && !reported.state.empty() &&
         reported.state == files.state_of(path, stack);
}

/// Returns whether the output `path`, if there is one, is the one in the report, which is written last.
bool is_of_run(const std::string& path, const io::ReportedFile& reported, const std::string& report) {
  if (path.empty()) return true;
  return reported.path == io::as_utf8(path) && reported.bytes == io::bytes_of_regular_file(path) &&
         time_of(path) <= time_of(report);
}

}  // namespace

bool is_done(const LabelPaths& files, const std::string& signature, bool stack) {
  const std::vector<std::string> list = files.outputs();
  std::error_code unknown;
  const bool all_there = std::all_of(list.begin(), list.end(),
                                     [&](const std::string& path) { return fs::exists(path, unknown); });
  if (!all_there || files.json.empty()) return all_there;
  const std::optional<io::ReportedRun> run = io::read_reported_run(files.json);
  const auto is_same = [&](const std::string& path, const io::ReportedFile& reported) {
    return is_as_read(files, path, io::is_folder_of_images(path), reported);
  };
  return run && run->complete && run->options == signature &&
         is_as_read(files, files.input, stack, run->input) && is_same(files.seeds, run->seeds) &&
         std::equal(files.intensities.begin(), files.intensities.end(), run->intensities.begin(),
                    run->intensities.end(), is_same) &&
         is_of_run(files.image, run->output, files.json) &&
         is_of_run(files.preview, run->preview, files.json) &&
         is_of_run(files.stats, run->stats, files.json) &&
         is_of_run(files.contacts, run->contacts, files.json) &&
         is_of_run(files.outlines, run->outlines, files.json);
}

}  // namespace gpuccl::app
