#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/option_helpers.hpp"
#include "app/view/pages.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/json.hpp"

namespace gpuccl::app {
namespace {

using Json = nlohmann::ordered_json;

Json column(const std::string& type, const std::string& description) {
  return {{"description", description}, {"type", type}};
}

/// Returns the schema of a row of --stats whose empty cells are left out, with all columns of all tables.
std::string stats_schema() {
  Json columns = {{"file", column("string", "Input; in tables of several inputs.")},
                  {"frame", column("integer", "Time point, from 0; with --frame all.")},
                  {"label", column("integer", "Value in the label image.")}};
  for (const Measure& measure : measures()) {
    const bool is_count = measure.group == MeasureGroup::basic && measure.name.size() <= 4 &&
                          !measure.name.starts_with('c');  // area and the bounding box
    Json& added = columns[std::string(measure.name)] =
        column(is_count ? "integer" : "number", std::string(measure.definition) + ".");
    added["unit"] = measure.unit;
  }
  columns["unit"] = column("string", "Unit of area_physical, such as um2 or um3; lengths are in um.");
  columns["value"] = column("number", "Value of the component in the input; with --values.");
  const Json of_image = column("number", "Measure of one of several images or channels, named in brackets.");
  return io::json_text(
             Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"title", "Row of the table of gpuccl label --stats"},
                  {"description", "A row of the CSV, without its empty cells."},
                  {"type", "object"},
                  {"required", {"label", "area", "x0", "y0", "x1", "y1", "cx", "cy"}},
                  {"additionalProperties", false},
                  {"properties", columns},
                  {"patternProperties", {{R"(^(intensity_[a-z0-9]+|c[xyz]_weighted)\[.+\]$)", of_image}}}},
             2) +
         "\n";
}

}  // namespace

void setup_schema(const Command& command) {
  using Print = std::string (*)();
  const auto print = std::make_shared<Print>();
  add_choice<Print>(
      command, "OUTPUT", *print,
      {{"report", [] { return std::string(kReportSchema); }},
       {"stats", stats_schema},
       {"match", [] { return std::string(kMatchSchema); }}},
      "report, stats or match: the JSON of label and measure, rows of --stats, the JSON of match")
      .required();
  command.on_run([print] {
    print_result((*print)());
    return kSuccess;
  });
}

}  // namespace gpuccl::app
