#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/engine.hpp"

// Selection of the algorithm for an image. `auto` is `runs`, on the GPU if that is faster.
namespace gpuccl {

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
