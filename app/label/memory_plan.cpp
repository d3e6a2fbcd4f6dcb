#include "app/label/memory_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "gpuccl/components.hpp"
#include "gpuccl/devices.hpp"
#include "gpuccl/error.hpp"
#include "io/files/bytes_in_words.hpp"
#include "io/image/limits.hpp"

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
constexpr std::int64_t kBytesOfComponent = sizeof(std::uint64_t) + sizeof(Box) + 3 * sizeof(std::uint64_t);
constexpr double kComponentsOfElement = 0.5;  // at most: a checkerboard whose elements touch at corners only

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

/// The most elements that are labelled at once.
std::int64_t most_at_once(const EngineOptions& engine, const std::optional<std::uint64_t>& gpu) {
  constexpr std::uint64_t kBytesOnGpu = 12;  // bit, byte, label, tables; and some are taken by others
  const std::int64_t most = is_runs(engine) ? std::numeric_limits<std::int64_t>::max() : kMostAtOnce;
  return gpu ? std::min(most, static_cast<std::int64_t>(*gpu / kBytesOnGpu)) : most;
}

/// No component has its first element anywhere else than where a run begins below background.
std::int64_t most_components(BitView image, Connectivity connectivity) {
  const bool diagonal = connectivity != Connectivity::c4 && connectivity != Connectivity::c6;
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < image.extent.rows(); ++row) {
    const std::uint32_t* const here = image.row(row);
    const std::uint32_t* const above = row % image.extent.height > 0 ? image.row(row - 1) : nullptr;
    for (std::int64_t i = 0; i < image.row_pitch; ++i) {
      const std::uint32_t left = i > 0 ? here[i - 1] >> 31 : 0;
      std::uint32_t covered = above != nullptr ? above[i] : 0;
      if (diagonal && above != nullptr)
        covered |= above[i] << 1 | above[i] >> 1 | (i > 0 ? above[i - 1] >> 31 : 0) |
                   (i + 1 < image.row_pitch ? above[i + 1] << 31 : 0);
      count += std::popcount(here[i] & ~(here[i] << 1 | left) & ~covered);
    }
  }
  return count;
}

std::int64_t elements_of(const Slab& slab, const Extent& extent) {
  return Extent{extent.width, slab.y1 - slab.y0, slab.z1 - slab.z0}.elements();
}

/// `extra`: bytes an element that slabs shall leave room for, if they can be that small.
MemoryPlan plan_slabs(const Extent& extent, Connectivity connectivity, const EngineOptions& engine,
                      std::int64_t memory, std::int64_t held, double extra) {
  const std::optional<std::uint64_t> gpu = gpu_memory(engine, connectivity, extent.elements());
  const double each = bytes_of_element(engine, connectivity, gpu.has_value());
  const auto available = static_cast<double>(std::max<std::int64_t>(0, memory - held));

  MemoryPlan plan;
  // Half for the slab, so that there is as much for components and for the borders of slabs.
  const double half = available / 2;
  const double with_extra = each + extra;
  const double affordable =
      gpu ? std::max(half / (with_extra + sizeof(Label)), (half - kOnTheWay) / with_extra)
          : half / with_extra;
  plan.slabs = cut_into_slabs(extent, connectivity,
                              std::min(most_at_once(engine, gpu), static_cast<std::int64_t>(affordable)));
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

}  // namespace

MemoryPlan plan_memory(const Extent& extent, Connectivity connectivity, const EngineOptions& engine,
                       std::int64_t memory, std::int64_t held) {
  const std::optional<std::uint64_t> gpu = gpu_memory(engine, connectivity, extent.elements());
  const double each = bytes_of_element(engine, connectivity, gpu.has_value());
  const auto available = static_cast<double>(std::max<std::int64_t>(0, memory - held));
  const auto elements = static_cast<double>(extent.elements());
  const double at_once = gpu ? elements * kBit + kOnTheWay : elements * each;
  if (extent.elements() <= most_at_once(engine, gpu) && at_once <= available) return {};
  return plan_slabs(extent, connectivity, engine, memory, held, 0);
}

bool components_fit(BitView image, Connectivity connectivity, const EngineOptions& engine,
                    std::int64_t memory) {
  const auto elements = static_cast<double>(image.extent.elements());
  const auto left = static_cast<std::int64_t>(static_cast<double>(memory) -
                                              elements * bytes_of_element(engine, connectivity, false));
  const std::int64_t allowed = std::max(kKeptInAnyCase, left) / kBytesOfComponent;
  return elements * kComponentsOfElement <= static_cast<double>(allowed) ||
         most_components(image, connectivity) <= allowed;
}

MemoryPlan plan_for_many_components(const Extent& extent, Connectivity connectivity,
                                    const EngineOptions& engine, std::int64_t memory, std::int64_t held) {
  return plan_slabs(extent, connectivity, engine, memory, held, kComponentsOfElement * kBytesOfComponent);
}

}  // namespace gpuccl::app
