#pragma once

#include <string>
#include <vector>

#include "app/bench/report_head.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// One page with nothing outside it: head, how it was measured, charts (SVG) and tables.
std::string as_html(const Head& head, const Results& results, const std::vector<std::string>& charts);

}  // namespace gpuccl::bench
