#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cuda {

/// An algorithm with other thread blocks than it usually has.
struct BlockConfiguration {
  std::string blocks;  // "16x16"
  std::vector<Variant> variants;
};

}  // namespace gpuccl::cuda
