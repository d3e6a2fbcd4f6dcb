#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpuccl::app {

/// Help without what the help texts say better themselves: ranges, exclusions, double blank lines.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const bool first = is_positional || group == "Options";
    const std::string text = CLI::Formatter::make_group(group, is_positional, std::move(options));
    return first ? text : text.substr(1);
  }
};

}  // namespace gpuccl::app
