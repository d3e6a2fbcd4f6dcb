#include "app/options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {
namespace {

/// Formats help identically for all versions of CLI11, in 80 columns, without ranges and exclusions, which
/// the texts explain better. The test of man pages and bash completion parse it.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const bool first = is_positional || group == "Options";
    const std::string text = CLI::Formatter::make_group(group, is_positional, std::move(options));
    return !first && text.starts_with('\n') ? text.substr(1) : text;
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }

 private:
  static constexpr std::size_t kLineEnd = 80;

  /// Returns a name, and its description in a column of its own.
  std::string entry(const std::string& name, const std::string& description) const {
    const std::size_t margin = get_column_width();
    std::string text = "  " + name;
    if (text.size() > kLineEnd)  // a list of words
      text.insert(text.rfind('|', kLineEnd - 1) + 1, "\n      ");
    text += text.size() < margin ? std::string(margin - text.size(), ' ') : line_break();
    std::istringstream paragraphs(description);
    bool first = true;
    for (std::string paragraph; std::getline(paragraphs, paragraph); first = false)
      text += (first ? "" : line_break()) + wrapped(paragraph);
    return text + "\n";
  }

  std::string wrapped(const std::string& paragraph) const {
    std::istringstream words(paragraph);
    std::string text;
    std::size_t column = get_column_width();
    for (std::string word; words >> word; column += word.size()) {
      if (!text.empty() && column + 1 + word.size() > kLineEnd) {
        text += line_break();
        column = get_column_width();
      } else if (!text.empty()) {
        text += " ";
        ++column;
      }
      text += word;
    }
    return text;
  }

  std::string line_break() const { return "\n" + std::string(get_column_width(), ' '); }
};

/// Message of CLI11 for --quiet=1, after the name of the option.
constexpr std::string_view kValueOfSwitch = " was given a disallowed flag override";

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// "-o" and "--output" of every option.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& given, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

/// Prepended to words in brackets, which CLI11 would parse as lists. Words of a command line cannot contain
/// this character.
constexpr char kNoList = '\0';

void protect_brackets(std::vector<std::string>& words) {
  for (std::string& word : words)
    if (word.starts_with('[') && word.ends_with(']')) word.insert(word.begin(), kNoList);
}

std::string as_given(std::string text) {
  std::erase(text, kNoList);
  return text;
}

ParseValue parsing_as_given(ParseValue parse) {
  return [parse = std::move(parse)](const std::string& value) { return parse(as_given(value)); };
}

/// Returns an error with `reason` and a reference to --help.
Error with_hint(const std::string& reason, const std::string& program) {
  return {ErrorCode::usage, as_given(reason) + " (see '" + program + " --help')"};
}

/// Returns whether a file of this name exists.
bool names_file(const std::string& word) {
  std::error_code unknown;
  return std::filesystem::exists(word, unknown);
}

/// Returns the error for a missing or unknown command.
std::string wrong_command(const CLI::App& app, const std::string& given) {
  std::error_code unknown;
  const bool looks_like_file = given.find_first_of("./") != std::string::npos || names_file(given);
  if (given.starts_with('-') || begins_with_typeset_dash(given))
    return "no command or option '" + given + "'" + did_you_mean(given, option_names(app));
  const std::vector<std::string> commands = names_of(app);
  const bool can_track =
      given == "track" && std::find(commands.begin(), commands.end(), "match") != commands.end();
  const std::string like = can_track ? "; did you mean match --track?" : did_you_mean(given, commands);
  return "no command or option '" + given + "'" +
         (names_file(given) || (like.empty() && looks_like_file)
              ? "; to label it: " + app.get_name() + " label " + shell_word(given) +
                    (std::filesystem::is_directory(given, unknown) ? " -o labels/" : " -o labels.tiff")
              : like);
}

std::string wrong_option(const CLI::App& command, const std::string& given) {
  if (given == "--version" || given == "-V")
    return "no option '" + given + "'; try " + command.get_parent()->get_name() + " --version";
  std::string reason = "no option '" + given + "'";
  if (names_file(given)) return reason + "; for the file of that name use ./" + given;
  if (const std::string other = not_offered(given.substr(0, given.find('='))); !other.empty())
    return reason + "; " + other;
  return reason + did_you_mean(given.substr(0, given.find('=')), option_names(command));
}

/// Returns the error for a word after the last positional argument.
std::string one_too_many(const CLI::App& command, const std::string& given) {
  std::string taken;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) taken += (taken.empty() ? "" : " and ") + option->get_name();
  const bool reads_datasets = command.get_option_no_throw("--dataset") != nullptr && names_file(given);
  return "'" + given + "' is unexpected: " + command.get_name() + " takes " +
         (taken.empty() ? "options only" : "only " + taken) +
         (reads_datasets ? "; for your own images use --dataset " + given : "");
}

/// Rewrites CLI11's "At Most 1 required but received 2" and "1 required FILE missing".
std::string wrong_count(const CLI::App& command, const CLI::ParseError& error) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_items_expected_max() == 1 && option->count() > 1)
      return option->get_name() + " is given " + std::to_string(option->count()) + " times";
  const std::string reason = error.what();
  const std::string name = reason.substr(0, reason.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr ? reason : name + " needs a value: " + option->get_type_name();
}

/// Returns the error for the arguments of a command.
std::string wrong_arguments(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> unexpected = command.remaining();
  const auto option = std::find_if(unexpected.begin(), unexpected.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  if (option != unexpected.end()) return wrong_option(command, *option);
  const std::string reason = error.what();
  if (reason.ends_with(kValueOfSwitch))
    return "--" + reason.substr(0, reason.size() - kValueOfSwitch.size()) + " takes no value";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(command, error);
  return unexpected.empty() ? reason : one_too_many(command, unexpected.front());
}

/// Returns the error of the command line in one line.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::vector<std::string> before = app.remaining();
  if (chosen.empty())
    return with_hint(before.empty() ? "which command?" : wrong_command(app, before.front()), app.get_name());
  const CLI::App& command = *chosen.front();
  const std::string program = app.get_name() + " " + command.get_name();
  if (!before.empty())
    return with_hint("no command or option '" + before.front() + "' before '" + command.get_name() + "'",
                     program);
  return with_hint(wrong_arguments(command, error), program);
}

/// Refuses words such as -out, which CLI11 would read as -o with the value "ut": it is probably a misspelled
/// option, whose value would be taken for an input.
void refuse_look_alike(const CLI::App& command, const std::string& word) {
  if (word.size() < 3 || word[0] != '-' || word[1] == '-') return;
  const CLI::Option* option = command.get_option_no_throw(word.substr(0, 2));
  if (option == nullptr || option->get_items_expected_max() == 0)
    return;  // no such option, or it takes no value
  const std::string rest = word.substr(2);
  const bool is_name = std::all_of(
      rest.begin(), rest.end(), [](unsigned char c) { return std::isalpha(c) != 0 || c == '-' || c == '_'; });
  if (!is_name && rest[0] != '=') return;
  const std::string name = nearest_name(word, option_names(command));
  const std::string value = rest.substr(rest[0] == '=' ? 1 : 0);
  throw Error(ErrorCode::usage,
              "no option '" + word + "'; did you mean " +
                  (name.starts_with("--") && is_name ? name : word.substr(0, 2) + " " + value) + "?");
}

/// Refuses words such as \u2013o, whose dash is not a hyphen: they would be taken for inputs, and no other
/// message would point at the dash.
void refuse_typeset_dash(const CLI::App& command, const std::string& word) {
  if (!begins_with_typeset_dash(word)) return;
  const std::string name = nearest_name(word.substr(0, word.find('=')), option_names(command));
  if (!name.empty())
    throw Error(ErrorCode::usage, "'" + word + "' does not begin with a hyphen; did you mean " + name + "?");
}

/// Refuses words after the value of a list, such as "topology" in `--measure shape topology`: they would be
/// inputs.
void refuse_missing_commas(const CLI::App& command, const std::vector<std::string>& words) {
  const auto is_option = [](const std::string& word) {
    return word.starts_with('-') && !parse_number<double>(word);
  };
  const auto is_of_list = [&](const std::string& word) {
    const bool is_path = word.find_first_of("./@") != std::string::npos && !parse_number<double>(word);
    return !word.empty() && !is_option(word) && !is_path && !names_file(word);
  };
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    const CLI::Option* option = words[i].starts_with("--") ? command.get_option_no_throw(words[i]) : nullptr;
    const std::string type = option == nullptr ? "" : option->get_type_name();
    if (type != "LIST" && type != "AXES" && type.find(",...") == std::string::npos) continue;
    if (is_option(words[i + 1]) || !is_of_list(words[i + 2])) continue;
    std::string list = words[i + 1];
    for (std::size_t k = i + 2; k < words.size() && is_of_list(words[k]); ++k) list += "," + words[k];
    throw Error(ErrorCode::usage,
                "'" + words[i + 2] +
                    "' is taken as an input and does not exist; lists are joined by commas: " + words[i] +
                    " " + list);
  }
}

/// Removes "--" and makes the words after it names of files: -o becomes ./-o.
std::vector<std::string> without_separator(std::vector<std::string> words) {
  const auto separator = std::find(words.begin(), words.end(), "--");
  if (separator == words.end()) return words;
  for (auto word = words.erase(separator); word != words.end(); ++word)
    if (word->size() > 1 && word->starts_with('-')) word->insert(0, "./");
  return words;
}

/// Rewrites an option with an optional value as `--name=value`, inserting the default: otherwise CLI11
/// consumes the next word.
void join_optional_values(const CLI::App& command, std::vector<std::string>& words) {
  const auto is_whole = [](const std::string& word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
  };
  // The check of the value refuses such words, also "2um3", unless an input has this name.
  const auto is_other_number = [](const std::string& word) {
    const bool begins = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0 &&
                        word.find_first_of("./") == std::string::npos;
    return (begins || parse_number<double>(word)) && !names_file(word);
  };
  for (auto word = words.begin(); word != words.end(); ++word) {
    const CLI::Option* option = word->starts_with("--") ? command.get_option_no_throw(*word) : nullptr;
    if (option == nullptr || option->get_items_expected_min() > 0 || option->get_items_expected_max() == 0)
      continue;
    const bool is_given = word + 1 != words.end() && (is_whole(word[1]) || is_other_number(word[1]));
    *word += "=" + (is_given ? word[1] : option->get_default_str());
    if (is_given) words.erase(word + 1);
  }
}

}  // namespace

bool GivenWords::may_name(std::string_view names) const {
  if (!names.starts_with('-')) return true;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    const bool is_long = name.starts_with("--");
    for (const std::string& word : words)  // -vi may be -v and -i
      if (is_long ? word.starts_with(name) : word.starts_with('-') && word.find(name[1]) != std::string::npos)
        return true;
    begin = end + 1;
  }
  return false;
}

Option Option::required() const {
  if (option_ != nullptr) option_->required();
  if (given_ != nullptr) given_->lacks_required = true;
  return *this;
}

Option Option::excludes(Option other) const {
  if (option_ != nullptr && other.option_ != nullptr) option_->excludes(other.option_);
  return *this;
}

Option Option::needs(const std::string& other) const {
  if (row_ != nullptr) row_->rules.push_back({other, true, {}});
  return *this;
}

Option Option::excludes(const std::string& other, const std::string& reason) const {
  if (row_ != nullptr) row_->rules.push_back({other, false, reason});
  return *this;
}

bool Option::is_given() const { return option_ != nullptr && option_->count() > 0; }

Option Option::prints(const PrintValue& print) const {
  if (row_ != nullptr) {
    row_->has_printer = true;
    row_->value = print();
  }
  return *this;
}

Option Option::changes(Effect effect) const {
  if (row_ != nullptr) row_->effect = effect;
  return *this;
}

std::optional<Option> Command::undeclared(const std::string& names, const std::string& left_out) const {
  if (given_ != nullptr && !given_->may_name(names)) return Option(*given_);
  if (table_ == nullptr) return std::nullopt;
  OptionRow& row = table_->emplace_back();
  row.names = names;
  row.left_out = left_out;
  row.effect = effect_;
  return Option(row);
}

void Command::group(const std::string& title, Effect effect) const {
  effect_ = effect;
  if (command_ != nullptr) command_->option_defaults()->group(title);
}

// Values of flags are disabled: CLI11 would accept `--quiet=yes`, and for `--quiet=maybe` it would throw an
// exception that is not a usage error.
Option Command::add_flag(const std::string& names, std::function<void()> turn_on,
                         const std::string& help) const {
  if (const auto option = undeclared(names)) return *option;
  return Option(*command_->add_flag_callback(names, std::move(turn_on), help)->disable_flag_override());
}

// Values are taken in CLI11's check, so that its message begins with the name of the option.
Option Command::add_value(const std::string& names, const std::string& type, const std::string& help,
                          ParseValue parse) const {
  if (const auto option = undeclared(names)) return *option;
  return Option(*command_
                     ->add_option_function<std::string>(
                         names, [](const std::string&) {}, help)
                     ->type_name(type)
                     ->check(parsing_as_given(std::move(parse))));
}

Option Command::add_optional_value(const std::string& names, const std::string& type,
                                   const std::string& left_out, const std::string& help,
                                   ParseValue parse) const {
  if (const auto option = undeclared(names, left_out)) return *option;
  const Option option = add_value(names, type, help, std::move(parse));
  option.option_->expected(0, 1)->default_str(left_out);
  return option;
}

Option Command::add_values(const std::string& names, const std::string& type, const std::string& help,
                           ParseValue parse) const {
  if (const auto option = undeclared(names)) return *option;
  CLI::Option* option = command_->add_option_function<std::vector<std::string>>(
      names, [](const std::vector<std::string>&) {}, help);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return Option(*option->type_name(type)->check(parsing_as_given(std::move(parse))));
}

void Command::example(const std::string& words) const {
  if (command_ == nullptr) return;
  const std::string footer = command_->get_footer();
  const std::string line =
      "  " + command_->get_parent()->get_name() + " " + command_->get_name() + " " + words;
  const std::size_t last = footer.rfind("\n\n");
  command_->footer(last == std::string::npos ? "Examples:\n" + line + "\n\n" + footer
                                             : footer.substr(0, last) + "\n" + line + footer.substr(last));
}

void Command::on_run(Run run) const {
  if (table_ != nullptr) return;
  command_->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
}

CommandLine::CommandLine(const std::string& program, const std::string& description,
                         const std::string& version, Pages pages)
    : program_(program), description_(description), version_(version), pages_(pages), app_(new_app()) {}

CommandLine::~CommandLine() = default;

std::unique_ptr<CLI::App> CommandLine::new_app() const {
  auto app = std::make_unique<CLI::App>(description_, program_);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(32);
  formatter->label("SUBCOMMAND", "COMMAND");
  app->formatter(formatter);
  app->set_version_flag("-V,--version", version_);
  app->require_subcommand(1);
  app->footer((examples_.empty() ? "" : "Examples:\n" + examples_ + "\n") + "See also '" + program_ +
              " COMMAND --help' and 'man " + program_ + (pages_ == Pages::of_commands ? "-COMMAND" : "") +
              "'.");
  return app;
}

CLI::App& CommandLine::new_command(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  const std::string page = program_ + (pages_ == Pages::of_commands ? "-" + name : "");
  command->group("Commands")->footer("'man " + page + "' has the details.");
  return *command;
}

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return {new_command(name, description), chosen_};
}

void CommandLine::add_command(const std::string& name, const std::string& description, const SetUp& set_up) {
  commands_.push_back({name, description, set_up});
}

/// Parses words with the declarations that they name alone. Returns none for help and errors, which need all.
std::optional<CommandLine::Parsed> CommandLine::parse_given(const std::vector<std::string>& words) {
  if (words.empty() || std::any_of(words.begin(), words.end(), begins_with_typeset_dash)) return std::nullopt;
  given_ = {words};
  for (const Declared& command : commands_)
    if (command.name == words.front())
      command.set_up({new_command(command.name, command.description), chosen_, &given_});
  if (given_.lacks_required) return std::nullopt;
  try {
    Parsed parsed = parse_declared(words);
    if (parsed.run || (words.size() == 1 && parsed.text == version_ + "\n")) return parsed;
  } catch (const Error&) {  // parse() repeats it with all declarations, for a complete message
  }
  return std::nullopt;
}

void CommandLine::declare_all(const std::vector<std::string>& words) {
  for (const Declared& command : commands_) {
    const Command declared = add_command(command.name, command.description);
    if (std::find(words.begin(), words.end(), command.name) != words.end()) command.set_up(declared);
  }
}

CommandLine::Parsed CommandLine::parse(std::vector<std::string> words) {
  if (!commands_.empty()) {
    if (std::optional<Parsed> parsed = parse_given(words)) return *std::move(parsed);
    app_ = new_app();
    chosen_ = nullptr;
  }
  if (!words.empty() && words.front() == "help") {
    if (words.size() > 2)
      throw with_hint("'" + words[2] + "' is unexpected: help takes one command", app_->get_name());
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  declare_all(words);
  return parse_declared(std::move(words));
}

std::vector<std::string> CommandLine::completions(std::vector<std::string> words, const ListValues& list) {
  app_ = new_app();
  declare_all(words);
  if (words.size() < 2) return {};
  // bash hands over --option=value as three words, other shells as one.
  if (const std::size_t sign = words.back().find('=');
      words.back().starts_with("--") && sign != std::string::npos) {
    const std::string value = words.back().substr(sign + 1), kept = words.back().substr(0, sign + 1);
    words.back() = words.back().substr(0, sign);
    words.push_back(value);
    std::vector<std::string> found = completions(std::move(words), list);
    for (std::string& word : found) word.insert(0, kept);
    return found;
  }
  std::string current = words.back() == "=" ? "" : words.back();
  if (words.back() != "=") words.pop_back();
  if (words.back() == "=") words.pop_back();

  std::vector<std::string> known;
  std::string kept;  // what precedes the name in a list of names
  if (words.size() == 1) {
    known = names_of(*app_);
    known.insert(known.end(), {"--help", "--version"});
  }
  for (const CLI::App* command : app_->get_subcommands({})) {
    if (words.size() == 1 || command->get_name() != words[1]) continue;
    const CLI::Option* option =
        words.back().starts_with('-') ? command->get_option_no_throw(words.back()) : nullptr;
    if (option != nullptr && option->get_items_expected_max() > 0) {
      const std::string type = option->get_type_name();
      known = type.find('|') == std::string::npos ? list(words[1], words.back()) : split(type, '|');
      kept = current.substr(0, current.rfind(',') + 1);
      current.erase(0, kept.size());
    } else if (current.starts_with('-')) {
      known = option_names(*command);
    } else if (words.size() == 2) {
      known = list(words[1], "");
    }
  }
  std::erase_if(known, [&](const std::string& word) { return !word.starts_with(current); });
  for (std::string& word : known) word.insert(0, kept);
  return known;
}

CommandLine::Parsed CommandLine::parse_declared(std::vector<std::string> words) {
  words = without_separator(std::move(words));
  for (const CLI::App* command : app_->get_subcommands({}))
    if (!words.empty() && command->get_name() == words.front()) {
      for (const std::string& word : words) {
        refuse_look_alike(*command, word);
        refuse_typeset_dash(*command, word);
      }
      refuse_missing_commas(*command, words);
      join_optional_values(*command, words);
    }
  protect_brackets(words);
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp& help) {
    if (app_->get_subcommands().empty() && !app_->remaining().empty()) throw usage_error(*app_, help);
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
