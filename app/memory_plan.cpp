#include "app/memory_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "gpuccl/devices.hpp"
#include "gpuccl/error.hpp"
#include "io/limits.hpp"

namespace gpuccl::app {
namespace {

// Smaller images fit every GPU, and asking for its memory starts it.
constexpr std::int64_t kFitsEveryGpu = std::int64_t{1} << 28;
// Only `runs` counts elements in 64 bits; others count those of a buffer, padding included, in 32.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 31;
// What labels take at most on their way from the GPU, some windows of them and buffers for transfers.
constexpr double kOnTheWay = 256.0 * (1 << 20);
// No more than a program takes that does nothing: a bound so low is not meant for components.
constexpr std::int64_t kKeptInAnyCase = std::int64_t{16} << 20;

constexpr double kBit = 0.125;  // bytes of an element in memory

bool is_runs(const EngineOptions& engine) { return engine.algorithm == "auto" || engine.algorithm == "runs"; }

/// Host memory at worst for an element of a slab: its bit, and what the algorithm makes of it. Components
/// come on top, but nobody knows how many. `on_gpu`: what `runs` takes that labels when the GPU is lost.
double bytes_of_element(const EngineOptions& engine, Connectivity connectivity, bool on_gpu) {
  if (!on_gpu && !is_runs(engine)) return kBit + 8;  // the label, and tables of labels
  // 8 bytes a run of a bundle: every second element of one, two or four rows.
  if (connectivity == Connectivity::c26) return kBit + 1;
  return connectivity == Connectivity::c8 ? kBit + 2 : kBit + 4;
}

/// Bytes of the GPU that is going to label an image of so many elements, if one is.
std::optional<std::uint64_t> gpu_memory(const EngineOptions& engine, Connectivity connectivity,
                                        std::int64_t elements) {
  if (elements <= kFitsEveryGpu ||
      intended_algorithm(engine, connectivity, elements).device == DeviceKind::cpu)
    return std::nullopt;
  for (const CudaDevice& device : cuda_status().devices)
    if (device.index == engine.gpu) return device.memory_bytes;
  return std::nullopt;
}

std::int64_t elements_of(const Slab& slab, const Extent& extent) {
  return Extent{extent.width, slab.y1 - slab.y0, slab.z1 - slab.z0}.elements();
}

}  // namespace

MemoryPlan plan_memory(const Extent& extent, Connectivity connectivity, const EngineOptions& engine,
                       std::int64_t memory, std::int64_t held) {
  const std::optional<std::uint64_t> gpu = gpu_memory(engine, connectivity, extent.elements());
  std::int64_t most = is_runs(engine) ? std::numeric_limits<std::int64_t>::max() : kMostAtOnce;
  if (gpu) {
    constexpr std::uint64_t kBytesOnGpu = 12;  // bit, byte, label, tables; and some are taken by others
    most = std::min(most, static_cast<std::int64_t>(*gpu / kBytesOnGpu));
  }
  const double each = bytes_of_element(engine, connectivity, gpu.has_value());
  const auto available = static_cast<double>(std::max<std::int64_t>(0, memory - held));
  const auto elements = static_cast<double>(extent.elements());
  const double at_once = gpu ? elements * kBit + kOnTheWay : elements * each;
  if (extent.elements() <= most && at_once <= available) return {};

  MemoryPlan plan;
  // Half for the slab, so that there is as much for components and for the borders of slabs.
  const double half = available / 2;
  const double affordable =
      gpu ? std::max(half / (each + sizeof(Label)), (half - kOnTheWay) / each) : half / each;
  plan.slabs = cut_into_slabs(extent, connectivity, std::min(most, static_cast<std::int64_t>(affordable)));
  const auto largest = static_cast<double>(elements_of(plan.slabs.back(), extent));
  const double needed = largest * each + (gpu ? std::min(largest * sizeof(Label), kOnTheWay) : 0);
  if (needed > available)
    throw Error(Failure::memory, "needs " + io::bytes_in_words(needed) +
                                     " of memory for the smallest part of its " + io::to_string(extent) +
                                     " elements" +
                                     (held > 0 ? " beside " + io::bytes_in_words(static_cast<double>(held)) +
                                                     " for what came from the pipe"
                                               : "") +
                                     ", the limit is " + io::bytes_in_words(static_cast<double>(memory)));
  plan.max_kept = std::max(kKeptInAnyCase, static_cast<std::int64_t>(available - needed));
  return plan;
}

}  // namespace gpuccl::app
