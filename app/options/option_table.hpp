#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace gpuccl::app {

/// Effect of an option on outputs.
enum class Effect {
  labels,   // the labels, or what is measured of them
  file,     // how the label image is stored
  run,      // which files are written, or whether
  nothing,  // how long it takes, what is printed
};

/// One option with its current value. The add_to() functions that add options to a command also fill a table
/// of these rows.
struct OptionRow {
  std::string names;     // "-o,--output"
  std::string left_out;  // the value that the option has if it is given without one
  Effect effect = Effect::labels;
  bool has_printer = false;
  std::optional<std::string> value;  // "" for a switch that is on; none if the option is off

  /// Relation to another option: needed with this one, or excluded by it.
  struct Rule {
    std::string other;  // name of the other option, and its value for messages: "--largest N"
    bool is_needed = false;
    std::string reason;
  };
  std::vector<Rule> rules;

  /// "-o", and "--output".
  std::string first_name() const;
  std::string long_name() const;
};

/// A deque, because rows must not move when others are added.
using OptionTable = std::deque<OptionRow>;

/// Returns the rows of `now` whose values differ from `defaults`, a table of the same options.
std::vector<OptionRow> given_options(const OptionTable& now, const OptionTable& defaults);

/// Checks the rules between options: needed and excluded ones. Error (usage).
void check_rules(const std::vector<OptionRow>& given);

/// Returns text as one word for a shell, in quotes if it needs them.
std::string shell_word(const std::string& text);

/// Returns an option quoted for a shell: "-c 4", "--keep 'area > 3'", "--invert".
std::string shell_text(const OptionRow& row);

/// Returns an option as one word of a command line: "--connectivity=4".
std::string word_text(const OptionRow& row);

}  // namespace gpuccl::app
