#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cuda {

/// An algorithm with other thread-block sizes than its default.
struct BlockConfiguration {
  std::string blocks;  // "16x16"
  std::vector<Variant> variants;
};

}  // namespace gpuccl::cuda
