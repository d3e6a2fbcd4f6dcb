#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/engine.hpp"

// Selection of the algorithm for an image: `auto` is `runs`, on the GPU if that pays.
namespace gpuccl {

/// Elements for each thread of the CPU from which labeling on a GPU repays starting CUDA and ending it, about
/// 0.4 s a process: 2^34 took 0.86 s with 16 threads and 1.0 s with an H200, file to table of components.
inline constexpr std::int64_t kElementsWorthGpu = std::int64_t{1} << 30;
/// Threshold once CUDA has started: launches and transfers then take some milliseconds, and the CPU about 0.8
/// ns per element.
inline constexpr std::int64_t kElementsWorthStartedGpu = std::int64_t{1} << 24;

/// State of the GPU when an image arrives.
enum class Gpu { untried, started, unusable };

/// Whether the table has `name` on a GPU only.
bool names_only_cuda(const std::string& name);

/// The algorithm for one image.
/// Error (usage) names what an algorithm does label if it does not do `connectivity`.
const Algorithm& choose(const EngineOptions& options, Connectivity connectivity, std::int64_t elements,
                        Gpu gpu);

}  // namespace gpuccl
