#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/option_table.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Declaration of the command line. Only command_line.cpp includes CLI11, which parses it, because its headers
// take seconds to compile.
namespace gpuccl::app {

/// The work of the selected command; returns the exit code or throws.
using Run = std::function<int()>;

/// Takes the value given to an option; returns "", or what is wrong with the value.
using ParseValue = std::function<std::string(const std::string& given)>;

/// Returns the current value of an option in the form of the command line: "" for a switch that is on, none
/// for an option that is off.
using PrintValue = std::function<std::optional<std::string>()>;

/// The words of a command line. Only options that they may name are declared: declaring all takes longer than
/// labeling a small image.
struct GivenWords {
  std::vector<std::string> words;
  bool lacks_required = false;  // an option that is required is not among them

  /// Returns whether a word may be an option of these names; true for positional ones.
  bool may_name(std::string_view names) const;
};

/// An option that was added to a command line or to a table, which must outlive it, or one that is not given.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  explicit Option(OptionRow& row) : row_(&row) {}
  explicit Option(GivenWords& given) : given_(&given) {}

  Option required() const;
  Option excludes(Option other) const;
  // Rules in a table; check_rules() enforces them.
  Option needs(const std::string& other) const;
  Option excludes(const std::string& other, const std::string& reason = {}) const;
  /// Returns whether the option is on the command line. Call it when the command runs.
  bool is_given() const;
  /// Sets the inverse of ParseValue.
  Option prints(const PrintValue& print) const;
  /// Sets the effect of the option if it differs from its group's.
  Option changes(Effect effect) const;

 private:
  friend class Command;
  CLI::Option* option_ = nullptr;
  OptionRow* row_ = nullptr;
  GivenWords* given_ = nullptr;  // without the option
};

/// A command to add options to. `names` are "-o,--output" of an option and "INPUT" of a positional one.
class Command {
 public:
  /// With `given`, declares only options that are on the command line.
  Command(CLI::App& command, Run& chosen, GivenWords* given = nullptr)
      : command_(&command), chosen_(&chosen), given_(given) {}
  /// Adds rows to a table instead, with the current values of the options.
  explicit Command(OptionTable& table) : table_(&table) {}

  /// Begins a group: the heading in --help of the options that follow, and their effect on outputs.
  void group(const std::string& title, Effect effect = Effect::labels) const;
  /// Adds an option without a value.
  Option add_flag(const std::string& names, std::function<void()> turn_on, const std::string& help) const;
  /// Adds an option with one value; `type` is its name in --help.
  Option add_value(const std::string& names, const std::string& type, const std::string& help,
                   ParseValue parse) const;
  /// Adds an option whose value, an integer, may be omitted and then is `left_out`.
  Option add_optional_value(const std::string& names, const std::string& type, const std::string& left_out,
                            const std::string& help, ParseValue parse) const;
  /// Adds an option with any number of values, parsed one by one: positional ones, or the option repeated.
  Option add_values(const std::string& names, const std::string& type, const std::string& help,
                    ParseValue parse) const;
  /// Adds a command line, without the name of the program and the command, to the examples after its help.
  void example(const std::string& words) const;
  /// Sets the function that runs if this command is selected.
  void on_run(Run run) const;

 private:
  /// Returns a row of the table, or an option that is not given; none for an option to declare.
  std::optional<Option> undeclared(const std::string& names, const std::string& left_out = {}) const;

  CLI::App* command_ = nullptr;
  Run* chosen_ = nullptr;
  GivenWords* given_ = nullptr;
  OptionTable* table_ = nullptr;
  mutable Effect effect_ = Effect::labels;  // of the group
};

class CommandLine {
 public:
  /// Manual pages: one for the program and one for each command, or one for all.
  enum class Pages { of_commands, of_program };

  CommandLine(const std::string& program, const std::string& description, const std::string& version,
              Pages pages = Pages::of_commands);
  ~CommandLine();

  Command add_command(const std::string& name, const std::string& description);
  /// Adds a command that is declared, with the options that are given, only if the command line names it. For
  /// help and errors, all commands are declared, and all options of those that are named.
  using SetUp = std::function<void(const Command&)>;
  void add_command(const std::string& name, const std::string& description, const SetUp& set_up);

  /// Sets the examples after the help of the program, indented lines.
  void set_examples(std::string lines) { examples_ = std::move(lines); }

  /// Returns the values of an option of a command that its help does not list.
  using ListValues =
      std::function<std::vector<std::string>(const std::string& command, const std::string& option)>;
  /// Returns what the last of `words`, which may be empty and follows the program, may become: commands,
  /// options or their values; none if it is the name of a file. For shells.
  std::vector<std::string> completions(std::vector<std::string> words, const ListValues& list);

  struct Parsed {
    std::string text;  // help or version, if that is what was asked for
    Run run;           // else this
  };
  /// `words` are those after the name of the program. Error (usage).
  Parsed parse(std::vector<std::string> words);

 private:
  struct Declared {
    std::string name, description;
    SetUp set_up;
  };

  std::unique_ptr<CLI::App> new_app() const;
  CLI::App& new_command(const std::string& name, const std::string& description);
  std::optional<Parsed> parse_given(const std::vector<std::string>& words);
  void declare_all(const std::vector<std::string>& words);
  Parsed parse_declared(std::vector<std::string> words);

  std::string program_, description_, version_, examples_;
  Pages pages_;
  std::unique_ptr<CLI::App> app_;
  Run chosen_;
  std::vector<Declared> commands_;
  GivenWords given_;
};

/// Version of the library that parses.
std::string parser_version();

}  // namespace gpuccl::app
