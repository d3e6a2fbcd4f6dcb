#include "app/label/memory_plan.hpp"

#include <fmt/core.h>

#include <limits>

#include "app/common/messages.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/measures.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"
#include "io/files/number_text.hpp"
#include "io/image/limits.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {
namespace {

// Smaller label maps fit every GPU, and asking for its memory starts the driver.
constexpr std::int64_t kFitsEveryGpu = std::int64_t{1} << 26;
// Only `runs` counts elements in 64 bits; others count those of a buffer, padding included, in 32.
constexpr std::int64_t kMaxAtOnce = std::int64_t{1} << 31;
// Memory of an idle program: a lower limit is not meant to restrict components.
constexpr std::int64_t kKeptInAnyCase = std::int64_t{16} << 20;

constexpr double kComponentsOfElement = 0.5;  // at most: a checkerboard whose elements touch at corners only
constexpr double kBit = 0.125;                // bytes of an element in memory

bool is_runs(const EngineOptions& engine) { return engine.algorithm == "auto" || engine.algorithm == "runs"; }

double bytes_of_component(const LabelWork& work) {
  // Selecting: membership, order, new number, and a copy of the largest array.
  constexpr std::size_t kToSelect = 4 * sizeof(Label) + sizeof(Box);
  const std::size_t to_measure =
      columns(work.measures.wanted).empty() ? 0 : bytes_of_sums(work.measures, work.extent) + sizeof(Label);
  // Totals of values: each component may have a value of its own, and totals are sorted.
  constexpr std::size_t kOfSum = sizeof(io::OfValue) + sizeof(Label);
  // Numbering objects, before that: hash tables of a strip and of all values, and a copy as identifiers.
  constexpr std::size_t kToNumber = 6 * sizeof(ValueBits);
  // Wrapping: components again, and for each its label before and after, offsets and axes.
  constexpr std::size_t kToWrap =
      Components::kBytesEach + 2 * sizeof(Label) + 3 * sizeof(std::int32_t) + 2 * 3 * sizeof(Wrap);
  const std::size_t later = (work.sums_values ? kOfSum : 0) + (work.selects ? kToSelect : 0) +
                            (work.wraps ? kToWrap : 0) + to_measure;
  return static_cast<double>(Components::kBytesEach + (work.values ? sizeof(ValueBits) : 0) +
                             std::max(work.by_object ? kToNumber : 0, later));
}

double tables_of(const LabelWork& work, const Extent& extent) {
  const auto of = [&](Connectivity connectivity) {
    const Algorithm& algorithm = intended_algorithm(work.engine, connectivity, extent.elements());
    return static_cast<double>(host_workspace_bytes(algorithm, connectivity, extent));
  };
  const double tables = of(work.connectivity);
  return work.labels_background ? std::max(tables, of(complementary(work.connectivity))) : tables;
}

/// Returns the bytes of rows in addition to their elements: padding to words of bits, and the end of the runs
/// of each row. In narrow images they are most of the memory.
double bytes_of_rows(const Extent& part, double bytes_of_bits) {
  constexpr double kWord = 8, kBitsOfWord = 64;
  const double words = std::ceil(part.width / kBitsOfWord) * kWord;
  return static_cast<double>(part.rows()) *
         ((words - part.width * kBit) * bytes_of_bits / kBit + sizeof(std::size_t));
}

/// Returns the bytes of the bits of an element. Filled elements are drawn in addition to the background.
double bytes_of_bits(const LabelWork& work) { return work.labels_background ? 2 * kBit : kBit; }

/// Returns an upper bound of the bytes of an element of a large slab: its bit and its share of the tables.
/// bytes_of() adds the memory of each thread, and the stack of the flood fill.
double bytes_of_element(const LabelWork& work) {
  constexpr double kLabelAndTable = 8;
  const Extent large{1 << 14, 1 << 14, is_3d(work.connectivity) ? 1 << 12 : 1};
  return bytes_of_bits(work) +
         std::min(tables_of(work, large) / static_cast<double>(large.elements()), kLabelAndTable);
}

/// Returns an upper bound of the bytes for labeling a part of the image, without components.
double bytes_of(const LabelWork& work, const Extent& part) {
  if (work.values) return ValueImage::most_bytes(part, *work.values, work.delta);
  const auto elements = static_cast<double>(part.elements());
  return bytes_of_rows(part, bytes_of_bits(work)) +
         std::max(elements * bytes_of_element(work), elements * bytes_of_bits(work) + tables_of(work, part) -
                                                         static_cast<double>(kKeptInAnyCase));
}

/// Returns the memory of the smallest GPU that may label the label map; none without a GPU. The engine labels
/// a binary image that is too large for its GPU in parts.
std::optional<std::uint64_t> gpu_memory(const LabelWork& work) {
  const EngineOptions& engine = work.engine;
  if (!work.values || engine.device != DeviceChoice::cuda || work.extent.elements() <= kFitsEveryGpu)
    return std::nullopt;
  const bool all = engine.gpus.empty() || engine.hides_gpus;
  const int count = all ? count_cuda_devices() : static_cast<int>(engine.gpus.size());
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < count; ++i)
    least = std::min(least, cuda_memory_bytes(all ? i : engine.gpus[static_cast<std::size_t>(i)]));
  return count == 0 || least == 0 ? std::nullopt : std::optional(least);
}

/// Returns the maximum number of elements that are labeled at once.
std::int64_t most_at_once(const LabelWork& work, const std::optional<std::uint64_t>& gpu) {
  // Bytes per pixel for label maps: values, bit planes, one node per pixel with 64-bit links, run labels.
  constexpr std::uint64_t kBesideValues = 16;
  const std::int64_t most = is_runs(work.engine) ? std::numeric_limits<std::int64_t>::max() : kMaxAtOnce;
  return gpu ? std::min(most,
                        static_cast<std::int64_t>(*gpu / (gpuccl::bytes_of(*work.values) + kBesideValues)))
             : most;
}

/// Returns the number of elements of the smallest slab.
std::int64_t smallest_slab(const LabelWork& work) {
  const Extent& extent = work.extent;
  const bool slices_touch = is_3d(work.connectivity) && extent.depth > 1;
  return slices_touch ? static_cast<std::int64_t>(extent.width) * extent.height : extent.width;
}

/// Returns slabs of at most half of the elements, a quarter, and so on. The sizes do not depend on memory, so
/// a plan that fits a smaller limit is also tried with a larger one.
std::vector<Slab> cut(const LabelWork& work, int halvings) {
  return cut_into_slabs(work.extent, work.connectivity, work.extent.elements() >> halvings);
}

/// Returns whether smaller slabs would need more memory for their results than they save.
bool are_smallest(const LabelWork& work, int halvings) {
  constexpr int kManySlabs = 12;  // halvings
  constexpr std::int64_t kFewElements = 1 << 20;
  const std::int64_t elements = work.extent.elements() >> halvings;
  return elements < 2 * smallest_slab(work) || (halvings >= kManySlabs && elements < kFewElements);
}

double bytes_of_slab(const LabelWork& work, const Slab& slab) {
  const Extent extent = extent_of(slab, work.extent);
  // A row of labels at the boundary of slabs; common rows need little.
  const double of_border =
      std::max(0.0, static_cast<double>(extent.width) * sizeof(Label) - static_cast<double>(kKeptInAnyCase));
  // With a delta: elements of both faces of a slab, and of the last face of the slab before.
  const double of_faces = work.delta > 0 ? 3.0 * extent.width * extent.height *
                                               static_cast<double>(gpuccl::bytes_of(*work.values))
                                         : 0;
  // If the background is labeled, for holes or cavities, its slab and labels need memory, too.
  return (bytes_of(work, extent) + of_border + of_faces) * (work.labels_background ? 2 : 1);
}

/// Returns the bytes left for components if an image is labeled at once.
double bytes_left_at_once(const LabelWork& work, std::int64_t memory) {
  return std::max(static_cast<double>(kKeptInAnyCase), static_cast<double>(memory) - bytes_at_once(work));
}

/// Returns whether slabs of values would cut slices, which only objects can do.
bool cuts_slices(const LabelWork& work, const std::vector<Slab>& slabs) {
  return work.values && !work.by_object && slabs.front().y1 < work.extent.height;
}

/// Plans slabs. `most`: number of components, if slabs are smaller because of them.
MemoryPlan plan_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held, int halvings,
                      std::int64_t most = 0) {
  MemoryPlan plan;
  plan.halvings = halvings;
  plan.slabs = cut(work, halvings);
  if (cuts_slices(work, plan.slabs)) {
    const double of_slice = bytes_of(work, {work.extent.width, work.extent.height, 1});
    const double of_components = work.extent.depth == 1 ? bytes_of_components(work, most) : 0;
    throw Error(ErrorCode::memory,
                fmt::format("needs up to {} of memory for the values of a slice{}; the limit is {}",
                            io::bytes_in_words(of_slice + of_components),
                            of_components > 0 ? fmt::format(" and {} components", most) : "",
                            io::bytes_in_words(static_cast<double>(memory))));
  }
  const double available = static_cast<double>(memory - held);
  const double needed = plan.slab_bytes = bytes_of_slab(work, plan.slabs.back());
  if (needed > available)
    throw Error(ErrorCode::memory,
                "needs " + io::bytes_in_words(needed) + " of memory for the smallest part of its " +
                    io::to_string(work.extent) + " pixels" +
                    (held > 0 ? " in addition to " + io::bytes_in_words(static_cast<double>(held)) +
                                    " for the input itself"
                              : "") +
                    ", the limit is " + io::bytes_in_words(static_cast<double>(memory)));
  std::int64_t left = std::max(kKeptInAnyCase, static_cast<std::int64_t>(available - needed));
  if (work.labels_background) left /= 2;  // half for components of the background
  plan.max_kept = static_cast<std::int64_t>(static_cast<double>(left) * Components::kBytesEach /
                                            bytes_of_component(work));
  return plan;
}

}  // namespace

void MemoryBudget::check_fits(double step, const std::string& work) const {
  if (!fits(step))
    throw Error(ErrorCode::memory, "needs " + io::bytes_in_words(step) + " of memory " + work +
                                       "; the limit is " + io::bytes_in_words(static_cast<double>(limit_)));
}

double bytes_at_once(const LabelWork& work) { return bytes_of(work, work.extent); }

double bytes_of_labels(const LabelWork& work, std::int64_t runs) {
  if (work.values) {
    const double of_elements = work.delta > 0 ? static_cast<double>(gpuccl::bytes_of(*work.values)) : 0;
    constexpr double kShortRun = 16;  // of images whose rows get two bits for each element, in words of 64
    const auto elements = static_cast<double>(work.extent.elements());
    const double words =
        elements < kShortRun * static_cast<double>(runs)
            ? static_cast<double>(work.extent.rows()) * ((static_cast<double>(work.extent.width) + 63) / 64)
            : 0;
    return elements * of_elements + static_cast<double>(runs) * (sizeof(ValueRun) + sizeof(Label)) +
           words * 2 * sizeof(std::uint64_t);
  }
  const Algorithm& algorithm = intended_algorithm(work.engine, work.connectivity, work.extent.elements());
  if (algorithm.device != DeviceKind::cpu || algorithm.name != "runs") return bytes_at_once(work);
  return static_cast<double>(work.extent.elements()) * kBit + bytes_of_rows(work.extent, kBit) +
         static_cast<double>(runs) * sizeof(Label);
}

double bytes_of_components(const LabelWork& work, std::int64_t most) {
  const double possible =
      (work.values ? 1 : kComponentsOfElement) * static_cast<double>(work.extent.elements());
  return bytes_of_component(work) * std::min(possible, static_cast<double>(most));
}

MemoryPlan plan_memory(const LabelWork& work, std::int64_t memory, std::int64_t held) {
  const std::int64_t elements = work.extent.elements();
  const Stopwatch asking;
  const std::optional<std::uint64_t> gpu = gpu_memory(work);
  const double start_up_ms = gpu ? asking.milliseconds() : 0;
  const auto available = static_cast<double>(std::max<std::int64_t>(0, memory - held));
  MemoryPlan plan;
  if (elements > most_at_once(work, gpu) || bytes_at_once(work) > available)
    plan = plan_large_slabs(work, memory, held);
  plan.start_up_ms = start_up_ms;
  return plan;
}

std::int64_t most_that_fit(const LabelWork& work, std::int64_t memory) {
  return static_cast<std::int64_t>(bytes_left_at_once(work, memory) / bytes_of_component(work));
}

bool components_fit(const LabelWork& work, std::int64_t memory, std::int64_t most) {
  return bytes_of_components(work, most) <= bytes_left_at_once(work, memory);
}

MemoryPlan plan_large_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                            std::int64_t most) {
  const std::int64_t most_elements = most_at_once(work, gpu_memory(work));
  if (work.values && std::int64_t{work.extent.width} * work.extent.height > most_elements)
    throw Error(ErrorCode::memory, "needs more GPU memory for one slice than the GPU has; use --device cpu");
  const auto available = static_cast<double>(memory - held);
  int halvings = 1;
  while (!are_smallest(work, halvings) && (work.extent.elements() >> halvings > most_elements ||
                                           bytes_of_slab(work, cut(work, halvings).back()) > available))
    ++halvings;
  return plan_slabs(work, memory, held, halvings, most);
}

std::optional<MemoryPlan> plan_smaller_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                                             const MemoryPlan& than) {
  if (are_smallest(work, than.halvings) || cuts_slices(work, cut(work, than.halvings + 1)))
    return std::nullopt;
  return plan_slabs(work, memory, held, than.halvings + 1);
}

}  // namespace gpuccl::app
