#pragma once

#include <string>
#include <vector>

#include "app/bench/environment.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// Everything a report says beside the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

/// Head and results as one JSON object.
std::string as_json(const Head& head, const Results& results);

/// One line a measure of an algorithm on a group; the first line names the columns.
std::string as_csv(const Results& results);

/// One page with nothing outside it: head, how it was measured, charts (SVG) and tables.
std::string as_html(const Head& head, const Results& results, const std::vector<std::string>& charts);

}  // namespace gpuccl::bench
