#include "app/options/option_table.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "gpuccl/types.hpp"

namespace gpuccl::app {
namespace {

/// Returns whether the name without a value means the current value.
bool stands_alone(const OptionRow& row) { return row.value->empty() || *row.value == row.left_out; }

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter >= 128 ||
           std::string_view("._,:/+@%-").find(char(letter)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

std::string OptionRow::first_name() const { return names.substr(0, names.find(',')); }

std::string OptionRow::long_name() const {
  const std::size_t begin = names.find("--");
  return begin == std::string::npos ? names : names.substr(begin, names.find(',', begin) - begin);
}

std::vector<OptionRow> given_options(const OptionTable& now, const OptionTable& defaults) {
  std::vector<OptionRow> given;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i].value && now[i].value != defaults[i].value) given.push_back(now[i]);
  return given;
}

void check_rules(const std::vector<OptionRow>& given) {
  const auto is_given = [&](const std::string& name) {
    return std::any_of(given.begin(), given.end(),
                       [&](const OptionRow& row) { return row.long_name() == name; });
  };
  for (const OptionRow& row : given)
    for (const OptionRow::Rule& rule : row.rules) {
      if (is_given(rule.other.substr(0, rule.other.find(' '))) == rule.is_needed) continue;
      throw Error(ErrorCode::usage, row.long_name() +
                                        (rule.is_needed ? " needs " + rule.other
                                                        : " and " + rule.other + " cannot be combined") +
                                        (rule.reason.empty() ? "" : "; " + rule.reason));
    }
}

std::string shell_text(const OptionRow& row) {
  return row.first_name() + (stands_alone(row) ? "" : " " + shell_word(*row.value));
}

std::string word_text(const OptionRow& row) {
  return row.long_name() + (stands_alone(row) ? "" : "=" + *row.value);
}

}  // namespace gpuccl::app
