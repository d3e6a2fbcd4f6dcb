#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/detail/system.hpp"

namespace gpuccl::app {
namespace {

int parse_and_run(int argc, char** argv) {
  CommandLine line("gpuccl", "Labels the connected components of binary images and volumes.", version_line());
  line.add_command("label", "Label the connected components of an image or volume", setup_label);
  line.add_command("measure", "Measure the objects of a label image", setup_measure);
  line.add_command("join", "Join the parts labeled by gpuccl label --part", setup_join);
  line.add_command("bench", "Time algorithms and compare them: the papers' experiments", setup_bench);
  line.add_command("compare", "Compare two label images and show where they differ", setup_compare);
  line.add_command("contacts", "List the components of a label image that touch, and their contact areas",
                   setup_contacts);
  line.add_command("match", "Match the objects of two label images and score the second against the first",
                   setup_match);
  line.add_command("generate", "Make a binary test image or volume", setup_generate);
  line.add_command("view", "Write an HTML page that shows a label image and its table", setup_view);
  line.add_command("list", "List the algorithms, or the measures of components", setup_list);
  line.add_command("info", "Print versions, formats and devices, for bug reports", setup_info);
  line.add_command("schema", "Print the JSON schema of a report or table", setup_schema);
  line.add_command("completion", "Print the completion script of a shell",
                   [&line](const Command& command) { setup_completion(command, line); });
  line.set_examples(
      "  gpuccl label page.png -o labels.tiff --view page.html\n"
      "  gpuccl label scans/ --threshold otsu -o labels/ --stats all.csv\n"
      "  gpuccl measure segmentation.nii.gz --intensity image.nii.gz --stats table.csv\n");

  const CommandLine::Parsed parsed = line.parse({argv + std::min(argc, 1), argv + argc});
  if (!parsed.run) {
    print_result(parsed.text);
    return kSuccess;
  }
  start_threads();
  return parsed.run();
}

}  // namespace
}  // namespace gpuccl::app

/// The only place that turns an exception into a message and an exit code.
int main(int argc, char** argv) {
  using namespace gpuccl;
  app::prepare_process();
  try {
    return app::parse_and_run(argc, argv);
  } catch (const Error& error) {
    if (error.system_code() == EPIPE) app::end_by_signal(SIGPIPE);  // the reader has closed the pipe
    return app::report_failure(error);
  } catch (const std::exception& exception) {
    return app::report_failure(app::translated(exception));
  }
}
