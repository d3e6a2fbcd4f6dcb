#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/geometry.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Rows of an input in the summary table: one, or one for each page and value.
class SummaryRows {
 public:
  /// `pages`: number of pages that were labeled separately; 0 if none were.
  SummaryRows(int pages, bool has_values);

  /// Adds a component of this page, whose value is `value`.
  void add(int page, const std::string& value, std::uint64_t area);

  /// Properties of the input, some of which are in its first row only.
  struct Input {
    std::string file;
    bool volume = false;
    const Geometry& geometry;
    std::string foreground_rule;
    std::uint64_t dropped = 0;
    const std::vector<std::string>& hints;
  };
  /// Returns the rows, at least one.
  std::string text(const Input& input);

 private:
  int pages_;
  bool has_values_;
  std::map<std::pair<int, std::string>, std::vector<std::uint64_t>> areas_;  // by page and value
};

/// Returns the rows of labeled components.
std::string summary_rows(const SummaryRows::Input& input, int pages, const Components& components,
                         const ValueColumn& value);

/// file,page,value,components,area,area_min,area_median,area_max,area_physical,unit,foreground_rule,dropped,
/// hints
std::string summary_header();

/// Returns whether a text with this beginning is such a table.
bool is_summary_csv(std::string_view beginning);

}  // namespace gpuccl::io
