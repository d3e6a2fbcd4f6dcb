#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"

// The table of algorithms, and selection of the algorithm for an image. `auto` is `runs`, on the GPU if that
// is faster.
namespace gpuccl {

/// Returns the variants of the GPU algorithm `name`, one for each of `connectivities`; none to omit the row.
using VariantsOf = std::vector<Variant> (*)(const std::string& name,
                                            const std::vector<Connectivity>& connectivities);

/// Returns the GPU rows of the table (algorithms.def). Throws std::logic_error if a row has other
/// connectivities than its variants.
std::vector<Algorithm> gpu_rows(VariantsOf variants_of);

/// Elements per CPU thread from which labeling on a GPU repays starting and ending CUDA, about 0.4 s per
/// process: 2^34 took 0.86 s with 16 threads and 1.0 s with an H200, from file to table of components.
inline constexpr std::int64_t kElementsWorthGpu = std::int64_t{1} << 30;
/// Threshold once CUDA has started: launches and transfers then take some milliseconds, and the CPU about 0.8
/// ns per element.
inline constexpr std::int64_t kElementsWorthStartedGpu = std::int64_t{1} << 24;

/// State of the GPU when an image arrives.
enum class Gpu { untried, started, unusable };

/// Returns whether the algorithm `name` exists only on GPUs.
bool names_only_cuda(const std::string& name);

/// Returns the algorithm for one image. Throws Error (usage) if it does not support `connectivity`; the
/// message lists those that it supports.
const Algorithm& choose(const EngineOptions& options, Connectivity connectivity, std::int64_t elements,
                        Gpu gpu);

}  // namespace gpuccl
