#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/plan.hpp"

namespace gpuccl::bench {

/// Returns "" if the GPU can be used, else the reason why not.
using AskForGpu = std::function<std::string()>;

/// The algorithms of `table` that take part; those that take hours only if they are named, not as one of
/// "all", unless no other is left. The GPU is asked for only if the outcome depends on it; without one, what
/// needs it is left out unless it is named, and `note` is called with a line about that. Error: usage (no
/// such algorithm, device or connectivity), unavailable (an algorithm or --device cuda needs the GPU).
std::vector<const Algorithm*> choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                                const AskForGpu& problem_of_gpu,
                                                const std::function<void(const std::string&)>& note);

}  // namespace gpuccl::bench
