#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/engine.hpp"

// Which row of the table labels an image (design: `auto` means `runs`, on the GPU when that pays).
namespace gpuccl {

/// Elements for each thread of the CPU from which labeling on a GPU repays starting CUDA and ending it, about
/// 0.4 s a process: 2^34 took 0.86 s with 16 threads and 1.0 s with an H200, file to table of components.
inline constexpr std::int64_t kElementsWorthGpu = std::int64_t{1} << 30;
/// The same once CUDA has started: what remains is some milliseconds of launches and transfers, and the CPU
/// takes about 0.8 ns for each of these elements.
inline constexpr std::int64_t kElementsWorthStartedGpu = std::int64_t{1} << 24;

/// What is known of the GPU when an image comes.
enum class Gpu { untried, started, unusable };

/// Whether the table has `name` on a GPU only.
bool names_only_cuda(const std::string& name);

/// The algorithm for one image.
/// Error (usage) names what an algorithm does label if it does not do `connectivity`.
const Algorithm& choose(const EngineOptions& options, Connectivity connectivity, std::int64_t elements,
                        Gpu gpu);

}  // namespace gpuccl
