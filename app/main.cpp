#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/exit_code.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/common/version.hpp"
#include "app/options/help_formatter.hpp"
#include "gpuccl/start_threads.hpp"

namespace gpuccl::app {
namespace {

/// What CLI11 says of --quiet=1, behind the name of the option.
constexpr std::string_view kValueOfSwitch = " was given a disallowed flag override";

/// What is wrong with the command line, as one line.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) {
    const std::vector<std::string> unknown = app.remaining();
    const std::string reason =
        unknown.empty() ? "which command?" : "no command or option '" + unknown.front() + "'";
    return {Failure::usage, reason + " (see 'gpuccl --help')"};
  }
  if (const std::vector<std::string> before = app.remaining(); !before.empty())
    return {Failure::usage, "no command or option '" + before.front() + "' before '" +
                                chosen.front()->get_name() + "' (see 'gpuccl " + chosen.front()->get_name() +
                                " --help')"};
  const std::vector<std::string> unexpected = chosen.front()->remaining();
  const auto option = std::find_if(unexpected.begin(), unexpected.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  std::string reason = error.what();
  if (option != unexpected.end()) {
    reason = "no option '" + *option + "'";
    if (std::filesystem::exists(*option)) reason += "; the file of that name is ./" + *option;
  } else if (reason.ends_with(kValueOfSwitch)) {
    reason = "--" + reason.substr(0, reason.size() - kValueOfSwitch.size()) + " takes no value";
  } else if (reason.size() > 1 && std::islower(static_cast<unsigned char>(reason[1])) != 0) {
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  }
  return {Failure::usage, reason + " (see 'gpuccl " + chosen.front()->get_name() + " --help')"};
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Labels the connected components of binary images and volumes.", "gpuccl");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(32);
  formatter->label("SUBCOMMAND", "COMMAND");
  app.formatter(formatter);
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);

  Run run;
  setup_label(app, run);
  setup_bench(app, run);
  setup_compare(app, run);
  setup_generate(app, run);
  setup_list(app, run);
  setup_info(app, run);
  app.footer("'gpuccl COMMAND --help' says more of a command, 'man gpuccl-COMMAND' everything.");
  for (CLI::App* command : app.get_subcommands({}))
    command->group("Commands")->footer("'man gpuccl-" + command->get_name() + "' says more.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_result(app.help());
    return kSuccess;
  } catch (const CLI::CallForVersion& version) {
    print_result(std::string(version.what()) + "\n");
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    throw usage_error(app, error);
  }
  start_threads();
  return run();
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
    return app::report_failure(error);
  } catch (const std::exception& exception) {
    return app::report_failure(app::translated(exception));
  }
}
