#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

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
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", measure.name, name_of(measure.group),
                        text_of(measure.in), measure.unit, measure.definition, measure.source);
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
    text += fmt::format("{} ({}; {}; {})\n    {}\n", measure.name, name_of(measure.group),
                        text_of(measure.in), measure.unit, measure.definition);
  return text;
}

/// Returns "4,8".
std::string connectivities_of(const Algorithm& algorithm) {
  std::string list;
  for (const Variant& variant : algorithm.variants)
    list += (list.empty() ? "" : ",") + std::to_string(static_cast<int>(variant.connectivity));
  return list;
}

/// Returns columns of equal width, two spaces apart, with the longest text in the last one.
std::string as_text() {
  std::size_t name = 0, list = 0, device = 0;
  const auto widen = [](std::size_t& width, const std::string& text) {
    width = std::max(width, text.size());
  };
  for (const Algorithm& algorithm : algorithms()) {
    widen(name, algorithm.name);
    widen(list, connectivities_of(algorithm));
    widen(device, device_name(algorithm.device));
  }
  std::string text;
  for (const Algorithm& algorithm : algorithms())
    text += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", algorithm.name, name, connectivities_of(algorithm), list,
                        device_name(algorithm.device), device, algorithm.title);
  return text;
}

/// Returns "Init, (Scan, Analysis)*"; phases in ( )* are repeated.
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

/// Escapes asterisks for Markdown.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '*' ? "\\*" : std::string(1, c);
  return result;
}

std::string as_markdown() {
  std::string text =
      "| `--algo` | algorithm | connectivity | device | phases | published |\n|---|---|---|---|---|---|\n";
  for (const Algorithm& algorithm : algorithms())
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", algorithm.name, algorithm.title,
                        connectivities_of(algorithm), device_name(algorithm.device),
                        escaped(phases_of(algorithm)), algorithm.paper);
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
    if (options->measures)
      print_result(options->json       ? measures_as_json()
                   : options->markdown ? measures_as_markdown()
                                       : measures_as_text());
    else
      print_result(options->json ? as_json() : options->markdown ? as_markdown() : as_text());
    return kSuccess;
  });
}

}  // namespace gpuccl::app
