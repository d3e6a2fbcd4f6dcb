#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/options/option_helpers.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/weighted_sum.hpp"
#include "io/read/label_reader.hpp"
#include "io/report/reported_run.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  std::vector<std::string> files;
  bool print = false;
  bool follow = false;
  bool quiet = false;
};

/// Returns where a file of a report is: as named, or next to the report by its name. "" if it is missing.
/// Without `follow` only files in the folder of the report are accepted, because a report from elsewhere must
/// not name other files.
std::string find_file(const std::string& report, const std::string& named, bool follow) {
  const fs::path parent = fs::path(report).parent_path();
  std::error_code unknown;
  const fs::path folder = fs::canonical(parent.empty() ? "." : parent, unknown);
  bool is_elsewhere = false;
  for (const std::string& path : {named, (parent / fs::path(named).filename()).string()}) {
    const fs::path target = fs::canonical(path, unknown);
    if (unknown) continue;
    if (fs::is_other(target, unknown)) throw io::FileError(path, ErrorCode::no_input, "is not a file");
    if (follow ||
        std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first == folder.end())
      return path;
    is_elsewhere = true;
  }
  if (is_elsewhere)
    throw io::FileError(report, ErrorCode::data,
                        "names '" + named + "', outside of its folder; add --follow if you trust it");
  return "";
}

class Verification {
 public:
  explicit Verification(const VerifyOptions& options) : options_(options) {}

  int run() {
    enter_sandbox(options_.files, {}, options_.follow);
    for (const std::string& file : options_.files) {
      try {
        if (options_.print)
          print(file);
        else
          verify(file);
      } catch (const Error& error) {
        codes_.insert(report_failure(error));
      }
      print_result(std::exchange(lines_, {}));  // a failure ends the run
    }
    if (differs_) codes_.insert(kDifferent);
    return exit_code(codes_);
  }

 private:
  static std::string fingerprint_of(const std::string& path) {
    return io::with_path(path, [&] { return io::fingerprint_of_labels(path); });
  }

  void print(const std::string& path) { lines_ = fingerprint_of(path) + "  " + printable(path) + "\n"; }

  void verify(const std::string& report) {
    const auto run = io::read_reported_run(report, true);
    std::error_code problem;
    if (!run && !fs::exists(report, problem)) {
      const int code = problem ? problem.value() : ENOENT;
      throw io::FileError(report, io::failure_to_read(code), io::system_reason(code), code);
    }
    if (!run || !run->complete)
      throw io::FileError(report, ErrorCode::data, "is not a complete report of gpuccl");
    if (!run->output.path.empty()) verify_labels(report, *run);
    bool is_any = !run->output.path.empty();
    for (const io::ReportedFile* const file : {&run->preview, &run->stats, &run->contacts, &run->outlines}) {
      if (file->path.empty() || file->bytes == 0) continue;
      is_any = true;
      const std::string path = find_file(report, file->path, options_.follow);
      const std::uint64_t bytes = path.empty() ? 0 : io::bytes_of_regular_file(path);
      if (path.empty())
        report_missing(file->path);
      else if (bytes != file->bytes)
        report_file(path, std::to_string(bytes) + " bytes instead of " + std::to_string(file->bytes), false);
      else if (io::with_path(path, [&] { return io::checksum_of_file(path); }) == file->checksum)
        report_file(path, "content agrees with the report", true);
      else
        report_file(path, "content differs from the report", false);
    }
    if (!is_any) throw io::FileError(report, ErrorCode::data, "names no files that the run wrote");
  }

  void verify_labels(const std::string& report, const io::ReportedRun& run) {
    if (run.fingerprint.empty())
      throw io::FileError(report, ErrorCode::data, "has no fingerprint; label the image again");
    const std::string image = find_file(report, run.output.path, options_.follow);
    if (image.empty())
      report_missing(run.output.path);
    else if (fingerprint_of(image) == run.fingerprint)
      report_file(image, "labels agree with the report", true);
    else
      report_file(image, "labels differ from the report", false);
  }

  /// Replacement character: reports are UTF-8 and have it instead of other bytes.
  void report_missing(const std::string& path) {
    constexpr const char* kReplacement = "\uFFFD";
    const bool is_replaced = path.find(kReplacement) != std::string::npos;
    report_file(path, is_replaced ? "cannot be found, because its name is not in UTF-8" : "is missing",
                false);
  }

  void report_file(const std::string& path, const std::string& what, bool is_same) {
    differs_ = differs_ || !is_same;
    if (!options_.quiet) lines_ += printable(path) + ": " + what + "\n";
  }

  const VerifyOptions& options_;
  bool differs_ = false;
  std::string lines_;    // lines on standard output about one file
  std::set<int> codes_;  // exit codes of failures
};

}  // namespace

void setup_verify(const Command& command) {
  const auto options = std::make_shared<VerifyOptions>();
  command
      .add_values("FILE", "", "Reports of gpuccl label; with --print, label images",
                  [options](const std::string& given) {
                    if (given.empty()) return std::string("is empty");
                    options->files.push_back(given);
                    return std::string();
                  })
      .required();
  add_switch(command, "--print", options->print, "Print the fingerprints of label images instead");
  add_switch(command, "--follow", options->follow, "Also read files outside of the folders of the reports");
  add_switch(command, "--quiet", options->quiet, "Print nothing; return the exit code only");
  command.on_run([options] {
    if (options->print && options->quiet)
      throw Error(ErrorCode::usage, "--print and --quiet cannot be combined");
    if (!options->print && std::count(options->files.begin(), options->files.end(), "-") > 0)
      throw Error(ErrorCode::usage, "a report cannot be standard input, because its files are next to it");
    return Verification(*options).run();
  });
}

}  // namespace gpuccl::app
