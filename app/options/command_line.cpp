#include "app/options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/options/help_formatter.hpp"
#include "gpuccl/error.hpp"

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

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

void Command::group(const std::string& title) const { command_->option_defaults()->group(title); }

// As it takes no value, CLI11 must not look for one: `--quiet=yes` it would accept, at `--quiet=maybe` it
// would throw what is no error of the command line.
Option Command::add_flag(const std::string& names, std::function<void()> turn_on,
                         const std::string& help) const {
  return Option(*command_->add_flag_callback(names, std::move(turn_on), help)->disable_flag_override());
}

// Values are taken where CLI11 checks them, so that what is wrong with one stands behind the option's name.
Option Command::add_value(const std::string& names, const std::string& type, const std::string& help,
                          TakeValue take) const {
  return Option(*command_
                     ->add_option_function<std::string>(
                         names, [](const std::string&) {}, help)
                     ->type_name(type)
                     ->check(std::move(take)));
}

Option Command::add_values(const std::string& names, const std::string& type, const std::string& help,
                           TakeValue take) const {
  CLI::Option* option = command_->add_option_function<std::vector<std::string>>(
      names, [](const std::vector<std::string>&) {}, help);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return Option(*option->type_name(type)->check(std::move(take)));
}

void Command::on_run(Run run) const {
  command_->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
}

CommandLine::CommandLine(const std::string& program, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, program)) {
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(32);
  formatter->label("SUBCOMMAND", "COMMAND");
  app_->formatter(formatter);
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer("'" + program + " COMMAND --help' says more of a command, 'man " + program +
               "-COMMAND' everything.");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  command->group("Commands")->footer("'man " + app_->get_name() + "-" + name + "' says more.");
  return {*command, chosen_};
}

CommandLine::Parsed CommandLine::parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return {app_->help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return {std::string(version.what()) + "\n", {}};
  } catch (const CLI::ParseError& error) {
    throw usage_error(*app_, error);
  }
  return {{}, chosen_};
}

std::string parser_version() { return CLI11_VERSION; }

}  // namespace gpuccl::app
