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

/// One option with the value that it has now. add_to() of options fills these rows, as it fills a command.
struct OptionRow {
  std::string names;     // "-o,--output"
  std::string left_out;  // the value that the option has if it is given without one
  Effect effect = Effect::labels;
  bool has_printer = false;
  std::optional<std::string> value;  // "" for a switch that is on; none if the option is off

  /// Relation to another option: needed with this one, or excluded by it.
  struct Rule {
    std::string other;  // "--largest N": the name, and what may be said of its value
    bool is_needed = false;
    std::string reason;
  };
  std::vector<Rule> rules;

  /// "-o", and "--output".
  std::string first_name() const;
  std::string long_name() const;
};

/// Rows stay where they are when others are added.
using OptionTable = std::deque<OptionRow>;

/// The rows of `now` whose values are not those of `usual`, a table of the same options.
std::vector<OptionRow> given_options(const OptionTable& now, const OptionTable& usual);

/// Refuses options that need another one, or cannot be combined with it. Error (usage).
void check_rules(const std::vector<OptionRow>& given);

/// An option as a shell takes it: "-c 4", "--keep 'area > 3'", "--invert".
std::string shell_text(const OptionRow& row);

/// Returns an option as one word of a command line: "--connectivity=4".
std::string word_text(const OptionRow& row);

}  // namespace gpuccl::app
