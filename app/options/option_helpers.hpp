#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Kinds of options that CLI11 does not have, or has with messages that a user would not understand.
namespace gpuccl::app {

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// An option whose value is one of a few words; `target` gets what the word means. Numbers are not accepted
/// for words, as CLI::CheckedTransformer would.
template <class T, class Target>
CLI::Option* add_choice(CLI::App& command, const std::string& names, Target& target,
                        const Choices<T>& choices, const std::string& help) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  const auto find = [choices](const std::string& given) {
    std::size_t i = 0;
    while (i < choices.size() && choices[i].first != given) ++i;
    return i;
  };
  CLI::Option* option = command.add_option_function<std::string>(
      names, [&target, choices, find](const std::string& given) { target = choices[find(given)].second; },
      help);
  option->type_name(words);
  option->check([choices, find, words](const std::string& given) {
    return find(given) < choices.size() ? std::string() : "'" + given + "' is not one of " + words;
  });
  return option;
}

/// A word that turns something on. As it takes no value, CLI11 must not look for one: `--quiet=yes` it would
/// accept, at `--quiet=maybe` it would throw what is no error of the command line.
CLI::Option* add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help);

/// The same for what does something else than to set a flag.
CLI::Option* add_switch(CLI::App& command, const std::string& names, const std::function<void()>& turn_on,
                        const std::string& help);

/// An option that is the name of a file or folder. Whether it exists is found out by opening it.
CLI::Option* add_path(CLI::App& command, const std::string& names, std::string& target,
                      const std::string& type, const std::string& help);

/// The same for what is read or written as a stream: "-" is standard input or output.
CLI::Option* add_path_or_stream(CLI::App& command, const std::string& names, std::string& target,
                                const std::string& type, const std::string& help);

/// The same for text, which no image is to be replaced by.
CLI::Option* add_text_path(CLI::App& command, const std::string& names, std::string& target,
                           const std::string& help);

/// Number itself, or what an optional holds.
template <class T>
struct NumberIn {
  using Type = T;
};
template <class T>
struct NumberIn<std::optional<T>> {
  using Type = T;
};

/// A whole number, in decimal whatever it starts with, from `least` to `most`.
template <class Target, class T = typename NumberIn<Target>::Type>
CLI::Option* add_number(CLI::App& command, const std::string& names, Target& target,
                        std::type_identity_t<T> least, std::type_identity_t<T> most, const std::string& type,
                        const std::string& help) {
  const auto parse = [least, most](const std::string& given) -> std::optional<T> {
    T number{};
    const char* const all = given.data() + given.size();
    const auto [end, problem] = std::from_chars(given.data(), all, number);
    if (problem != std::errc{} || end != all || number < least || number > most) return std::nullopt;
    return number;
  };
  std::string range = " from " + std::to_string(least);
  range += most == std::numeric_limits<T>::max() ? " on" : " to " + std::to_string(most);
  CLI::Option* option = command.add_option_function<std::string>(
      names, [&target, parse](const std::string& given) { target = parse(given).value(); }, help);
  option->type_name(type);
  option->check([parse, range](const std::string& given) {
    return parse(given) ? std::string() : "'" + given + "' is not a whole number" + range;
  });
  return option;
}

/// A number of bytes or elements: "500", "64K", "2M", "4G", "1T", by powers of 1024.
CLI::Option* add_amount(CLI::App& command, const std::string& names, std::int64_t& target,
                        const std::string& help);

}  // namespace gpuccl::app
