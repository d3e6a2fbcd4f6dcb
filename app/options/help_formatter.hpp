#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpuccl::app {

/// The same help whatever the version of CLI11, without what the help texts say better themselves: ranges,
/// exclusions, double blank lines. Man page test and bash completion read it.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string margin(get_column_width(), ' ');
    std::string text = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    text += text.size() < margin.size() ? margin.substr(text.size()) : "\n" + margin;
    for (const char c : make_option_desc(option)) text += c == '\n' ? c + margin : std::string(1, c);
    return text + "\n";
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
};

}  // namespace gpuccl::app
