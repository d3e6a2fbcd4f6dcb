#include "io/report/summary_csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/files/number_text.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {
namespace {

constexpr std::string_view kBeginning = "file,page,value,components,area,";

/// min,median,max; empty of nothing.
std::string spread(std::vector<std::uint64_t>& areas) {
  if (areas.empty()) return ",,";
  std::sort(areas.begin(), areas.end());
  const std::size_t middle = areas.size() / 2;
  const double median =
      areas.size() % 2 == 1
          ? static_cast<double>(areas[middle])
          : (static_cast<double>(areas[middle - 1]) + static_cast<double>(areas[middle])) / 2;
  return fmt::format("{},{},{}", areas.front(), shortest(median), areas.back());
}

}  // namespace

std::string summary_header() {
  return std::string(kBeginning) +
         "area_min,area_median,area_max,area_physical,unit,foreground_rule,dropped,hints\n";
}

SummaryRows::SummaryRows(int pages, bool has_values) : pages_(pages), has_values_(has_values) {
  for (int page = 0; page < pages && !has_values; ++page)
    areas_[{page, ""}];  // also for pages without components
}

void SummaryRows::add(int page, const std::string& value, std::uint64_t area) {
  areas_[{pages_ > 0 ? page : 0, has_values_ ? value : ""}].push_back(area);
}

std::string SummaryRows::text(const Input& input) {
  const std::optional<PhysicalScale> scale = physical_scale(input.geometry, input.volume ? 3 : 2);
  std::string hints, rows;
  for (const std::string& hint : input.hints) hints += (hints.empty() ? "" : "; ") + hint;
  if (areas_.empty()) areas_[{0, ""}];
  for (auto& [key, areas] : areas_) {
    const auto& [page, value] = key;
    std::uint64_t area = 0;
    for (const std::uint64_t one : areas) area += one;
    const bool is_first = rows.empty();
    rows += fmt::format("{},{},{},{},{},{},", csv_field(harmless_name(input.file)),
                        pages_ > 0 ? std::to_string(page) : "", value, areas.size(), area, spread(areas));
    rows += scale ? shortest(static_cast<double>(area) * scale->element) + "," +
                        std::string(name_of(input.geometry.unit))
                  : ",";
    rows += "," + csv_field(input.foreground_rule);
    rows +=
        "," + (is_first ? std::to_string(input.dropped) + "," + csv_field(hints) : std::string(",")) + "\n";
  }
  return rows;
}

std::string summary_rows(const SummaryRows::Input& input, int pages, const Components& components,
                         const ValueColumn& value) {
  SummaryRows rows(pages, value.is_apart());
  for (std::size_t i = 0; i < components.size(); ++i)
    rows.add(components.box[i].min[2], value.is_apart() ? value_text(value, i) : "", components.area[i]);
  return rows.text(input);
}

bool is_summary_csv(std::string_view beginning) { return beginning.starts_with(kBeginning); }

}  // namespace gpuccl::io
