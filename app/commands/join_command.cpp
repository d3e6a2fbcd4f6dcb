#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/parts/tasks.hpp"

namespace gpuccl::app {
namespace {

struct JoinOptions {
  std::string folder;
  bool finish = false;
  bool quiet = false;
  int threads = 0;
};

/// Joins or finishes the run; returns what was done.
std::string join(const JoinOptions& options) {
  if (options.finish) {
    std::string names;
    for (const std::string& name : finish_tasks(options.folder, options.quiet, true))
      names += (names.empty() ? "wrote " : ", ") + name;
    return names;
  }
  const std::optional<JoinResult> joined = join_tasks(options.folder, true);
  if (!joined) return "is finished";
  return counted(joined->count, joined->of_what) + "; now run every --part again " + joined->next;
}

/// Warns if other users can remove and add files in the folder. Each file is checked when it is read.
void warn_of_others(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    print_warning(folder, "other users can write to this folder; use chmod go-w");
}

int run_join(const JoinOptions& options) {
  if (!options.quiet) warn_of_others(options.folder);
  const ThreadLimit threads(options.threads);
  const std::string done = join(options);
  if (!options.quiet && ::isatty(STDERR_FILENO) != 0) print_message(options.folder + ": " + done);
  return kSuccess;
}

}  // namespace

void setup_join(const Command& command) {
  const auto options = std::make_shared<JoinOptions>();
  add_path(command, "DIR", options->folder, "", "Folder of the parts, as given to --parts-dir", wrong_folder)
      .required();
  add_switch(command, "--finish", options->finish,
             "Assemble the outputs from the written parts, and empty the folder");
  add_threads(command, options->threads);
  add_switch(command, "--quiet", options->quiet, "Print errors only");
  command.on_run([options] { return run_join(*options); });
}

}  // namespace gpuccl::app
