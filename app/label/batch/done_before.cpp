#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/label/batch/label_batch.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/read/input_files.hpp"
#include "io/report/reported_run.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of(const std::string& path) {
  std::error_code unknown;
  return fs::last_write_time(path, unknown);
}

bool is_as_reported(const std::string& path, const io::ReportedFile& reported) {
  return reported.path == io::as_utf8(path) && reported.bytes == io::bytes_of_regular_file(path);
}

/// Returns whether no file of the input `path` has changed since the report was written.
bool is_as_before(const std::string& path, bool stack, const std::string& report) {
  const io::InputState state = io::state_of_input(path, stack);
  return std::max(state.last_change, state.last_change_of_folders) <= time_of(report);
}

/// Compares intensity images, of which a folder is a stack, with the ones in the report.
bool are_intensities_of_run(const std::vector<std::string>& paths,
                            const std::vector<io::ReportedFile>& reported, const std::string& report) {
  return std::equal(paths.begin(), paths.end(), reported.begin(), reported.end(),
                    [&](const std::string& path, const io::ReportedFile& of_run) {
                      return is_as_reported(path, of_run) &&
                             is_as_before(path, io::is_folder_of_images(path), report);
                    });
}

bool is_mask_of_run(const std::string& path, const io::ReportedFile& reported, const std::string& report) {
  return path.empty() ? reported.path.empty() : are_intensities_of_run({path}, {reported}, report);
}

/// Returns whether the output `path`, if there is one, is the one in the report, which is written last.
bool is_of_run(const std::string& path, const io::ReportedFile& reported, const std::string& report) {
  if (path.empty()) return true;
  return is_as_reported(path, reported) && time_of(path) <= time_of(report);
}

}  // namespace

bool is_done(const LabelPaths& files, const std::string& signature, bool stack) {
  const std::vector<std::string> list = files.outputs();
  std::error_code unknown;
  const bool all_there = std::all_of(list.begin(), list.end(),
                                     [&](const std::string& path) { return fs::exists(path, unknown); });
  if (!all_there || files.json.empty()) return all_there;
  const std::optional<io::ReportedRun> run = io::read_reported_run(files.json);
  return run && run->complete && run->options == signature && is_as_reported(files.input, run->input) &&
         is_as_before(files.input, stack, files.json) &&
         (run->input_state.empty() || run->input_state == io::state_of_regular_file(files.input)) &&
         are_intensities_of_run(files.intensities, run->intensities, files.json) &&
         is_mask_of_run(files.seeds, run->seeds, files.json) &&
         is_of_run(files.image, run->output, files.json) &&
         is_of_run(files.preview, run->preview, files.json) &&
         is_of_run(files.stats, run->stats, files.json) &&
         is_of_run(files.contacts, run->contacts, files.json) &&
         is_of_run(files.outlines, run->outlines, files.json);
}

}  // namespace gpuccl::app
