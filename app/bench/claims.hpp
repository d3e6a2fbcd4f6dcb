#pragma once

#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// What a paper says of its algorithms, and whether these results bear it out.
struct Claim {
  std::string paper;
  std::string text;
  std::string images;   // which series of images this was looked at
  bool holds = false;   // here
  std::string figures;  // that decide it
};

/// Those claims that the results have the algorithms and the images for: sweeps over density, granularity and
/// size, iterations, and work.
std::vector<Claim> claims(const Results& results);

}  // namespace gpuccl::bench
