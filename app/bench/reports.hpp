#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/environment.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

using Json = nlohmann::ordered_json;

/// Content of a report except the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

/// Returns head and results. Tables of the terminal and the page of --report show this JSON.
Json as_json(const Head& head, const Results& results);

/// Returns how the results were measured, one statement per line.
std::vector<std::string> measurement_notes(const Results& results);

/// Returns one image set of as_json() as a table, with a row per measure or phase of each algorithm.
std::string as_text(const Json& image_set);

/// Returns three significant digits: "1234", "123", "12.3", "1.23", "0.123", "0.0123".
std::string three_digits(double value);

}  // namespace gpuccl::bench
