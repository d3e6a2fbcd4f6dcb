#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "app/commands/commands.hpp"
#include "app/common/exit_code.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/common/version.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/start_threads.hpp"

namespace gpuccl::app {
namespace {

int parse_and_run(int argc, char** argv) {
  CommandLine line("gpuccl", "Labels the connected components of binary images and volumes.", version_line());
  setup_label(line);
  setup_join(line);
  setup_bench(line);
  setup_compare(line);
  setup_contacts(line);
  setup_match(line);
  setup_generate(line);
  setup_view(line);
  setup_list(line);
  setup_info(line);

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

/// The one place where what went wrong becomes a message and an exit code.
int main(int argc, char** argv) {
  using namespace gpuccl;
  app::prepare_process();
  try {
    return app::parse_and_run(argc, argv);
  } catch (const Error& error) {
    if (error.system_code() == EPIPE) app::end_by_signal(SIGPIPE);  // the reader has read enough
    return app::report_failure(error);
  } catch (const std::exception& exception) {
    return app::report_failure(app::translated(exception));
  }
}
