#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/bench/results.hpp"
#include "app/common/messages.hpp"

namespace gpuccl::bench {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kWordColumns = 3;  // algorithm, device, and name of the measure

/// Returns the number of characters of UTF-8 text.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

/// Returns rows with columns as wide as their widest cell, words to the left and figures to the right.
std::string aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - letters(row[i]), ' ');
      line += "  " + (i < kWordColumns ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const Json& parts_of(const Json& row) { return row.contains("phases") ? row["phases"] : row["measures"]; }

std::string cell(const Json& part, const std::string& key) {
  if (!part.contains(key)) return "-";
  const Json& value = part[key];
  return value.is_string() ? app::printable(value.get<std::string>()) : three_digits(value.get<double>());
}

}  // namespace

std::string three_digits(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, 6));
}

std::string as_text(const Json& image_set) {
  Cells keys = {"name"};
  std::set<std::string> floors;
  for (const Json& row : image_set["algorithms"]) {
    if (row.contains("floor"))
      floors.insert(fmt::format("  floor {}: {} ms\n", row["floor"]["name"].get<std::string>(),
                                three_digits(row["floor"]["median_ms"].get<double>())));
    for (const Json& part : parts_of(row))
      for (const auto& [key, value] : part.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  std::vector<Cells> rows = {{"algorithm", "device"}};
  rows[0].insert(rows[0].end(), keys.begin(), keys.end());
  for (std::string& title : rows[0]) std::replace(title.begin(), title.end(), '_', ' ');
  for (const Json& row : image_set["algorithms"]) {
    const Cells algorithm = {cell(row, "algorithm"), cell(row, "device")};
    for (const Json& part : parts_of(row)) {
      rows.push_back(algorithm);
      for (const std::string& key : keys) rows.back().push_back(cell(part, key));
    }
    if (row.contains("note")) {
      rows.push_back(algorithm);
      rows.back().push_back(cell(row, "note"));
    }
  }
  std::string text = cell(image_set, "title") + " (" + cell(image_set, "about") + ")\n";
  for (const std::string& floor : floors) text += floor;
  return text + aligned(rows);
}

}  // namespace gpuccl::bench
