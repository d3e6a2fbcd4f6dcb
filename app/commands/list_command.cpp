#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/json.hpp"

namespace gpuccl::app {
namespace {

struct ListOptions {
  bool json = false;
  bool markdown = false;
  bool measures = false;
};

std::string text_of(MeasuredIn in) {
  return in == MeasuredIn::images ? "images" : in == MeasuredIn::volumes ? "volumes" : "images, volumes";
}

std::string measures_as_markdown() {
  std::string text = "| column | group | of | unit | definition | source |\n|---|---|---|---|---|---|\n";
  for (const Measure& measure : measures())
    text.append("| `")
        .append(measure.name)
        .append("` | ")
        .append(name_of(measure.group))
        .append(" | ")
        .append(text_of(measure.in))
        .append(" | ")
        .append(measure.unit)
        .append(" | ")
        .append(measure.definition)
        .append(" | ")
        .append(measure.source)
        .append(" |\n");
  return text;
}

std::string measures_as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const Measure& measure : measures())
    list.push_back({{"name", measure.name},
                    {"group", name_of(measure.group)},
                    {"of", text_of(measure.in)},
                    {"unit", measure.unit},
                    {"definition", measure.definition},
                    {"source", measure.source}});
  return io::json_text(list, 2) + "\n";
}

std::string measures_as_text() {
  std::string text;
  for (const Measure& measure : measures())
    text.append(measure.name)
        .append(" (")
        .append(name_of(measure.group))
        .append("; ")
        .append(text_of(measure.in))
        .append("; ")
        .append(measure.unit)
        .append(")\n    ")
        .append(measure.definition)
        .append("\n");
  return text;
}

/// "4,8".
std::string connectivities_of(const Algorithm& algorithm) {
  std::string list;
  for (const Variant& variant : algorithm.variants)
    list += (list.empty() ? "" : ",") + std::to_string(static_cast<int>(variant.connectivity));
  return list;
}

/// Columns of equal width, two spaces apart, the longest text in the last one.
std::string as_text() {
  using Row = std::array<std::string, 4>;
  std::vector<Row> rows;
  std::array<std::size_t, std::tuple_size_v<Row> - 1> width{};
  for (const Algorithm& algorithm : algorithms()) {
    rows.push_back(
        {algorithm.name, connectivities_of(algorithm), device_name(algorithm.device), algorithm.title});
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], rows.back()[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < width.size(); ++i)
      text += row[i] + std::string(width[i] + 2 - row[i].size(), ' ');
    text += row.back() + "\n";
  }
  return text;
}

/// "Init, (Scan, Analysis)*": those in ( )* are repeated.
std::string as_text(const Phases& phases) {
  std::string text;
  bool repeated = false;
  for (const Phase& phase : phases) {
    if (repeated && !phase.repeated) text += ")*";
    if (!text.empty()) text += ", ";
    if (phase.repeated && !repeated) text += "(";
    text += phase.name;
    repeated = phase.repeated;
  }
  return repeated ? text + ")*" : text;
}

std::string phases_of(const Algorithm& algorithm) {
  const std::string text = as_text(algorithm.phases);
  return algorithm.phases_3d.empty() ? text : text + "; 3D: " + as_text(algorithm.phases_3d);
}

/// Without the meaning that Markdown gives to asterisks.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '*' ? "\\*" : std::string(1, c);
  return result;
}

std::string as_markdown() {
  std::string text =
      "| `--algo` | algorithm | connectivity | device | phases | published |\n|---|---|---|---|---|---|\n";
  for (const Algorithm& algorithm : algorithms())
    text += "| `" + algorithm.name + "` | " + algorithm.title + " | " + connectivities_of(algorithm) + " | " +
            device_name(algorithm.device) + " | " + escaped(phases_of(algorithm)) + " | " + algorithm.paper +
            " |\n";
  return text;
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const Algorithm& algorithm : algorithms()) {
    auto connectivities = nlohmann::ordered_json::array();
    for (const Variant& variant : algorithm.variants)
      connectivities.push_back(static_cast<int>(variant.connectivity));
    list.push_back({{"name", algorithm.name},
                    {"title", algorithm.title},
                    {"connectivities", connectivities},
                    {"device", device_name(algorithm.device)},
                    {"paper", text_or_null(algorithm.paper)},
                    {"phases", text_or_null(phases_of(algorithm))}});
  }
  return io::json_text(list, 2) + "\n";
}

}  // namespace

void setup_list(const Command& command) {
  const auto options = std::make_shared<ListOptions>();
  const Option json = add_switch(command, "--json", options->json, "Print JSON");
  add_switch(command, "--markdown", options->markdown, "Print a table in Markdown").excludes(json);
  add_switch(command, "--measures", options->measures, "List the measures of gpuccl label --measure instead");
  command.on_run([options] {
    if (options->measures) {
      print_result(options->json       ? measures_as_json()
                   : options->markdown ? measures_as_markdown()
                                       : measures_as_text());
      return kSuccess;
    }
    print_result(options->json ? as_json() : options->markdown ? as_markdown() : as_text());
    return kSuccess;
  });
}

}  // namespace gpuccl::app
