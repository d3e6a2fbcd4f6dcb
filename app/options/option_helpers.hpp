#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/options/command_line.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_names.hpp"
#include "io/image/paths.hpp"

namespace gpuccl::app {

/// Name in a condition of the label of an object: its value.
inline constexpr const char* kLabelOfObject = "label";

/// Parses a condition: comparisons of a measure, or `value`, with a number (<, <=, >, >=, == or =,
/// !=), joined by `and`, which binds closer, `or` and parentheses. Error (usage), with the place in `text`.
Condition parse_condition(const std::string& text);

/// Returns the name among `known` that `given` probably means; "" if none is near: "--min_size",
/// "--minsize" and "-min-siez" mean "--min-size", "--out" means "--output", "--verbose" means "--progress".
std::string nearest_name(const std::string& given, const std::vector<std::string>& known);

/// Returns why gpuccl has no such option, or what to use instead, for options of other programs; "" for
/// others.
std::string not_offered(const std::string& given);

/// Returns the measure that `given` probably means, by its name in other programs too: "area" for "volume".
/// May return several, separated by commas, as for "centroid".
std::string nearest_measure(const std::string& given, const std::vector<std::string>& known);

inline constexpr std::string_view kTypesetDashes[] = {"\u2010", "\u2011", "\u2012", "\u2013",
                                                      "\u2014", "\u2015", "\u2212"};
/// Returns whether `word` begins with a dash that a word processor puts for "-" or "--".
inline bool begins_with_typeset_dash(std::string_view word) {
  return std::any_of(std::begin(kTypesetDashes), std::end(kTypesetDashes),
                     [&](std::string_view dash) { return word.starts_with(dash); });
}

// Functions that parse numbers and comma-separated lists of numbers. They return none for other text.

/// Parses a text that is a number and nothing else. Integers are decimal, also with leading zeros.
template <class T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const char* const all = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), all, value);
  if (problem != std::errc{} || end != all) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char separator);
/// Returns the words with commas between them; none if there are none.
std::optional<std::string> joined(const std::vector<std::string>& words);

/// Parses "640x480" or "64x64x32".
std::optional<Extent> parse_size(const std::string& text);
/// Parses "640x480,64x64x32".
std::optional<std::vector<Extent>> parse_sizes(const std::string& text);

/// Parses "0.1,0.5", and "0:1:0.25" for 0, 0.25, 0.5, 0.75, 1; all between 0 and 1.
std::optional<std::vector<double>> parse_shares(const std::string& text);

/// Parses "1,4", and "1:16" for all from 1 to 16; all positive.
std::optional<std::vector<int>> parse_counts(const std::string& text);

/// Pattern that makes the name of an image from that of another: "*_0000" from any name, "*_D=*_F" from names
/// that end in _D.
class NamePattern {
 public:
  NamePattern() = default;
  explicit NamePattern(const std::string& pattern);
  /// Returns why a text is not a pattern; "" if it is one.
  static std::string problem_with(const std::string& pattern);

  const std::string& from() const { return from_; }
  /// Returns none if `name`, whose folders stay as they are, does not match.
  std::optional<std::string> name_for(const std::string& name) const { return made(name, from_, to_); }
  /// Returns the name for which name_for() returns `name`; none if there is none.
  std::optional<std::string> name_before(const std::string& name) const { return made(name, to_, from_); }

 private:
  static std::optional<std::string> made(const std::string& path, const std::string& from, std::string to);

  std::string from_ = "*", to_ = "*";
};

// Kinds of options.

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// Returns the word for a value; "" if it is not among the choices.
template <class T>
std::string word_of(const Choices<T>& choices, const std::type_identity_t<T>& value) {
  for (const auto& [word, meaning] : choices)
    if (meaning == value) return word;
  return "";
}

/// Adds an option whose value is one of a few words, in any case; `target` gets the meaning of the word.
/// --help lists the words unless the option is positional. If consecutive words have one meaning, it lists
/// the first of them.
template <class T, class Target>
Option add_choice(const Command& command, const std::string& names, Target& target, const Choices<T>& choices,
                  const std::string& help) {
  std::string words;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (i == 0 || choices[i].second != choices[i - 1].second)
      words += (words.empty() ? "" : "|") + choices[i].first;
  return command
      .add_value(names, names.starts_with('-') ? words : "", help,
                 [&target, choices, words](const std::string& given) {
                   for (const auto& [word, value] : choices)
                     if (word == io::lower_case(given)) {
                       target = value;
                       return std::string();
                     }
                   return "'" + given + "' is not one of " + words;
                 })
      .prints([&] {
        const std::optional<T> value = target;
        return value ? std::optional(word_of(choices, *value)) : std::nullopt;
      });
}

/// Returns the printed value of a switch.
inline std::optional<std::string> switch_text(bool on) {
  return on ? std::optional<std::string>("") : std::nullopt;
}

/// Adds an option without a value that turns something on.
Option add_switch(const Command& command, const std::string& names, bool& target, const std::string& help);

/// Where the path that an option gives is kept.
struct GivenPath {
  GivenPath(std::string& target)
      : set([&target](const std::string& given) { target = given; }), get([&target] { return target; }) {}
  /// The source is an image that no option calls a stack.
  GivenPath(io::Source& target)
      : set([&target](const std::string& given) { target = io::Source::of_image(given); }),
        get([&target] { return target.path; }) {}
  GivenPath(io::Target& target)
      : set([&target](const std::string& given) { target = given; }),
        get([&target] { return target.path; }) {}

  std::function<void(const std::string& given)> set;
  std::function<std::string()> get;
};

/// Return what is wrong with a name of a file or stream, of a file, and of a folder; "" if nothing is.
std::string wrong_path(const std::string& given);
std::string wrong_file(const std::string& given);
std::string wrong_folder(const std::string& given);

/// Adds an option whose value is a path. Whether it can be opened is checked later.
Option add_path(const Command& command, const std::string& names, const GivenPath& target,
                const std::string& type, const std::string& help,
                std::function<std::string(const std::string& given)> wrong = wrong_file);

/// Adds an option for an output in a text format ("csv", "json"); rejects extensions of other formats.
Option add_text_path(const Command& command, const std::string& names, const GivenPath& target,
                     const std::string& format, const std::string& help);

/// The type of a number, also inside an optional.
template <class T>
struct NumberIn {
  using Type = T;
};
template <class T>
struct NumberIn<std::optional<T>> {
  using Type = T;
};

/// Adds an option whose value is a decimal integer from `least` to `most`, also with leading zeros.
template <class Target, class T = typename NumberIn<Target>::Type>
Option add_number(const Command& command, const std::string& names, Target& target,
                  std::type_identity_t<T> least, std::type_identity_t<T> most, const std::string& type,
                  const std::string& help) {
  const std::string range = most == std::numeric_limits<T>::max()
                                ? " of at least " + std::to_string(least)
                                : " from " + std::to_string(least) + " to " + std::to_string(most);
  return command
      .add_value(names, type, help,
                 [&target, least, most, range](const std::string& given) {
                   const std::optional<T> number = parse_number<T>(given);
                   if (!number || *number < least || *number > most)
                     return "'" + given + "' is not an integer" + range;
                   target = *number;
                   return std::string();
                 })
      .prints([&] {
        const std::optional<T> number = target;
        return number ? std::optional(std::to_string(*number)) : std::nullopt;
      });
}

/// Adds an option whose value is a real number from 0 to `most`.
Option add_real(const Command& command, const std::string& names, double& target, double most,
                const std::string& type, const std::string& help);

/// Adds an option whose value is a number of bytes or elements: "500", "64K", "2M", "4GB", "1TiB"; all units
/// are powers of 1024.
Option add_amount(const Command& command, const std::string& names, std::int64_t& target,
                  const std::string& help);

/// Options for replacing and syncing outputs.
struct OutputOptions {
  io::AtomicFile::Options file;
  bool replace_foreign = false;  // also replaces texts that gpuccl did not write

  void add_to(const Command& command);
};

}  // namespace gpuccl::app
