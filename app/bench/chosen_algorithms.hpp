#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/plan.hpp"

namespace gpuccl::bench {

/// Returns "" if the GPU can be used, else the reason why not.
using AskForGpu = std::function<std::string()>;

struct ChosenAlgorithms {
  std::vector<const Algorithm*> algorithms;
  std::vector<std::string> left_out;  // names of those that need a GPU where none can be used
  std::string problem;                // why it cannot
  bool named_are_left_out = false;    // some of them were named and are not measured on the CPU either
};

/// The algorithms of `table` that take part; those that take hours only if they are named, not as one of
/// "all", unless no other is left. The GPU is asked for only if the outcome depends on it; without one, what
/// needs it is left out. Error: usage (no such algorithm, device or connectivity), unavailable (nothing is
/// left without the GPU, or --device cuda needs it).
ChosenAlgorithms choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                   const AskForGpu& problem_of_gpu);

/// A line about algorithms that were left out; "" if none was.
std::string describe_left_out(const ChosenAlgorithms& chosen);

}  // namespace gpuccl::bench
