#include "io/report/summary_csv.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "io/files/number_text.hpp"
#include "io/report/csv_field.hpp"

namespace gpuccl::io {
namespace {

constexpr std::string_view kBeginning = "file,page,value,components,area,";

/// The areas of the components that a row is about, by page and value.
using Groups = std::map<std::pair<int, std::string>, std::vector<std::uint64_t>>;

std::string value_text(const ValueColumn& column, std::size_t i) {
  char text[64];
  return {text, put_value(text, column.type, column.values[i])};
}

Groups groups_of(const Summary& input) {
  Groups groups;
  for (int page = 0; page < input.pages; ++page)
    if (!input.value.is_apart()) groups[{page, ""}];  // of a page without components, too
  for (std::size_t i = 0; i < input.components.size(); ++i)
    groups[{input.pages > 0 ? input.components.box[i].min[2] : 0,
            input.value.is_apart() ? value_text(input.value, i) : ""}]
        .push_back(input.components.area[i]);
  if (groups.empty()) groups[{0, ""}];
  return groups;
}

/// min,median,max; empty of nothing.
std::string spread(std::vector<std::uint64_t>& areas) {
  if (areas.empty()) return ",,";
  std::sort(areas.begin(), areas.end());
  const std::size_t middle = areas.size() / 2;
  const double median =
      areas.size() % 2 == 1
          ? static_cast<double>(areas[middle])
          : (static_cast<double>(areas[middle - 1]) + static_cast<double>(areas[middle])) / 2;
  return std::to_string(areas.front()) + "," + shortest(median) + "," + std::to_string(areas.back());
}

}  // namespace

std::string summary_header() {
  return std::string(kBeginning) + "area_min,area_median,area_max,area_physical,unit,dropped,hints\n";
}

std::string summary_rows(const Summary& input) {
  const std::optional<PhysicalScale> scale = physical_scale(input.geometry, input.volume ? 3 : 2);
  std::string hints, rows;
  for (const std::string& hint : input.hints) hints += (hints.empty() ? "" : "; ") + hint;
  for (auto& [key, areas] : groups_of(input)) {
    const auto& [page, value] = key;
    std::uint64_t area = 0;
    for (const std::uint64_t one : areas) area += one;
    const bool is_first = rows.empty();
    rows += csv_field(input.file) + "," + (input.pages > 0 ? std::to_string(page) : "") + "," + value + "," +
            std::to_string(areas.size()) + "," + std::to_string(area) + "," + spread(areas) + ",";
    rows += scale ? shortest(static_cast<double>(area) * scale->element) + "," +
                        std::string(name_of(input.geometry.unit))
                  : ",";
    rows +=
        "," + (is_first ? std::to_string(input.dropped) + "," + csv_field(hints) : std::string(",")) + "\n";
  }
  return rows;
}

bool is_summary_csv(std::string_view beginning) { return beginning.starts_with(kBeginning); }

}  // namespace gpuccl::io
