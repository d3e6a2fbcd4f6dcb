#include "app/bench/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/common/messages.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::size_t kColumnGap = 2;

}  // namespace

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

std::string as_text(const Table& given) {
  Table table = given;
  table.title = app::printable(table.title);
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = app::printable(cell);

  std::vector<std::size_t> widths;
  const auto widen = [&](const std::vector<std::string>& row) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);

  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - letters(row[i]), ' ');
      line += std::string(kColumnGap, ' ') + (i < table.word_columns ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string three_digits(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(2 - magnitude, 0, 6), value);
  return text;
}

}  // namespace gpuccl::bench
