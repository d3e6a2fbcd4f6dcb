#pragma once

#include <string>

#include "app/bench/report_head.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// Head and results as one JSON object.
std::string as_json(const Head& head, const Results& results);

}  // namespace gpuccl::bench
