#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/geometry.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Row of an input in the summary table.
struct Summary {
  std::string file;
  bool volume = false;
  const Geometry& geometry;
  const Components& components;
  int pages = 0;           // that were labeled each on its own, which have a row each; 0: none were
  ValueColumn value = {};  // of images of values, which have a row for each value
  std::uint64_t dropped = 0;
  const std::vector<std::string>& hints;
};

/// file,page,value,components,area,area_min,area_median,area_max,area_physical,unit,dropped,hints
std::string summary_header();

/// The rows of an input, at least one. What is of the whole input stands in the first.
std::string summary_rows(const Summary& input);

/// Whether a text that begins like this is such a table.
bool is_summary_csv(std::string_view beginning);

}  // namespace gpuccl::io
