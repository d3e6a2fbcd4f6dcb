#pragma once

#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// A claim of a paper about its algorithms, and whether these results confirm it.
struct Claim {
  std::string paper;
  std::string text;
  std::string images;   // which series of images this was looked at
  bool holds = false;   // here
  std::string figures;  // that decide it
};

/// Returns the claims for which the results have the algorithms and images: sweeps over density, granularity
/// and size, iterations, and work.
std::vector<Claim> claims(const Results& results);

}  // namespace gpuccl::bench
