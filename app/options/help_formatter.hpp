#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace gpuccl::app {

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

  /// A name, and in a column of its own what is said of it.
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

}  // namespace gpuccl::app
