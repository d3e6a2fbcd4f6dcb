#include "engine/algorithms.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/algorithms.hpp"
#include "cuda/cuda.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

using enum Connectivity;

const char* const kAllegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
const char* const kCabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
const char* const kChen = "Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452";
const char* const kHawick = "Hawick, Leist, Playne 2010, doi:10.1016/j.parco.2010.07.002";
const char* const kHennequin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, hal-01923784";
const char* const kKalentev = "Kalentev et al. 2011, doi:10.1016/j.jpdc.2010.10.012";
const char* const kSoh = "Soh, Ashraf, Hae, Kim 2014";
const char* const kTrees = "Allegretti et al. 2019";

/// Properties of an algorithm, without its code.
struct Row {
  const char* name;
  const char* title;
  const char* paper;
  std::vector<Connectivity> connectivities;
  Phases phases;
  Phases phases_3d = {};
};

#define LIST(...) \
  { __VA_ARGS__ }

template <std::unique_ptr<Labeler> (*make)(Connectivity)>
Algorithm on_cpu(const Row& row, HostWorkspaceBytes bytes) {
  const Variant all[] = {{c4, [](int) { return make(c4); }},
                         {c8, [](int) { return make(c8); }},
                         {c6, [](int) { return make(c6); }},
                         {c18, [](int) { return make(c18); }},
                         {c26, [](int) { return make(c26); }}};
  const std::vector<Connectivity>& chosen = row.connectivities;
  std::vector<Variant> variants;
  std::copy_if(std::begin(all), std::end(all), std::back_inserter(variants), [&](const Variant& one) {
    return std::find(chosen.begin(), chosen.end(), one.connectivity) != chosen.end();
  });
  return {row.name, row.title, row.paper, DeviceKind::cpu, std::move(variants), row.phases, {}, bytes};
}

std::vector<Algorithm> cpu_rows() {
  return {
#define GPUCCL_CPU(identifier, bytes, ...) on_cpu<cpu::make_##identifier>({__VA_ARGS__}, cpu::bytes),
#include "common/algorithms.def"
  };
}

std::vector<Row> gpu_properties() {
  return {
#define GPUCCL_PAPER(identifier, ...) {__VA_ARGS__},
#define GPUCCL_ENGINE(identifier, ...) {__VA_ARGS__},
#include "common/algorithms.def"
  };
}

bool fit(const std::vector<Variant>& variants, const std::vector<Connectivity>& connectivities) {
  return std::equal(variants.begin(), variants.end(), connectivities.begin(), connectivities.end(),
                    [](const Variant& variant, Connectivity one) { return variant.connectivity == one; });
}

}  // namespace

std::vector<Algorithm> gpu_rows(VariantsOf variants_of) {
  std::vector<Algorithm> rows;
  for (Row& row : gpu_properties()) {
    std::vector<Variant> variants = variants_of(row.name, row.connectivities);
    if (variants.empty()) continue;
    if (!fit(variants, row.connectivities))
      throw std::logic_error(std::string(row.name) + " labels other connectivities than its row says");
    rows.push_back({row.name, row.title, row.paper, DeviceKind::cuda, std::move(variants),
                    std::move(row.phases), std::move(row.phases_3d)});
  }
  return rows;
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list = cpu_rows();
    for (Algorithm& algorithm : gpu_rows(cuda::variants_of)) list.push_back(std::move(algorithm));
    return list;
  }();
  return all;
}

const std::vector<Algorithm>& instrumented_algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list = gpu_rows(cuda::instrumented_variants_of);
    std::erase_if(list, [](const Algorithm& algorithm) { return algorithm.paper.empty(); });
    return list;
  }();
  return all;
}

const std::vector<Algorithm>& block_configurations() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list;
    for (const Algorithm& algorithm : algorithms())
      for (cuda::BlockConfiguration& one : cuda::block_configurations_of(algorithm)) {
        list.push_back(algorithm);
        list.back().variants = std::move(one.variants);
        list.back().blocks = std::move(one.blocks);
      }
    return list;
  }();
  return all;
}

const Algorithm* find_algorithm(const std::string& name, DeviceKind device) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.name == name && algorithm.device == device) return &algorithm;
  return nullptr;
}

const Variant* find_variant(const Algorithm& algorithm, Connectivity connectivity) {
  for (const Variant& variant : algorithm.variants)
    if (variant.connectivity == connectivity) return &variant;
  return nullptr;
}

const Phases& find_phases(const Algorithm& algorithm, Connectivity connectivity) {
  return is_3d(connectivity) && !algorithm.phases_3d.empty() ? algorithm.phases_3d : algorithm.phases;
}

std::int64_t host_workspace_bytes(const Algorithm& algorithm, Connectivity connectivity, Extent extent) {
  const Algorithm& on_cpu =
      algorithm.host_workspace_bytes != nullptr ? algorithm : *find_algorithm("runs", DeviceKind::cpu);
  return on_cpu.host_workspace_bytes(connectivity, extent);
}

std::string iterated_phase(const Algorithm& algorithm) {
  for (const Phase& phase : algorithm.phases)
    if (phase.repeated) return phase.name;
  return {};
}

constexpr const char* kDefault = "runs";

static std::string known_names() {
  std::vector<std::string> names = {"auto"};
  for (const Algorithm& algorithm : algorithms())
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) names.push_back(algorithm.name);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

static std::string connectivities(const Algorithm& algorithm) {
  std::string list;
  for (const Variant& variant : algorithm.variants)
    list += (list.empty() ? "" : ", ") + std::to_string(static_cast<int>(variant.connectivity));
  return list;
}

static bool labels(const Algorithm* algorithm, Connectivity connectivity) {
  return algorithm != nullptr && find_variant(*algorithm, connectivity) != nullptr;
}

static const Algorithm& checked(const Algorithm& algorithm, Connectivity connectivity) {
  if (!labels(&algorithm, connectivity))
    throw Error(ErrorCode::usage, algorithm.name + " does not label " +
                                      std::to_string(static_cast<int>(connectivity)) +
                                      "-connectivity; it does " + connectivities(algorithm));
  return algorithm;
}

/// Returns the algorithm of `--algo auto --device cuda`: `runs`, or the first one that supports the
/// connectivity.
static const Algorithm& default_on_gpu(Connectivity connectivity) {
  const Algorithm* runs = find_algorithm(kDefault, DeviceKind::cuda);
  if (labels(runs, connectivity)) return *runs;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.device == DeviceKind::cuda && labels(&algorithm, connectivity)) return algorithm;
  throw Error(ErrorCode::usage,
              "no CUDA algorithm labels " + std::to_string(static_cast<int>(connectivity)) + "-connectivity");
}

bool names_only_cuda(const std::string& name) {
  return find_algorithm(name, DeviceKind::cuda) != nullptr &&
         find_algorithm(name, DeviceKind::cpu) == nullptr;
}

void check_options(const EngineOptions& options, std::optional<Connectivity> connectivity) {
  const std::string& name = options.algorithm;
  const bool automatic = name == "auto";
  const bool on_cpu = automatic || find_algorithm(name, DeviceKind::cpu) != nullptr;
  const bool on_gpu = automatic || find_algorithm(name, DeviceKind::cuda) != nullptr;
  if (!on_cpu && !on_gpu)
    throw Error(ErrorCode::usage, "no algorithm '" + name + "'; there are " + known_names());
  if (options.device == DeviceChoice::cuda && !on_gpu)
    throw Error(ErrorCode::usage, name + " runs only on the CPU; use --device cpu or auto");
  if (options.device == DeviceChoice::cpu && !on_cpu)
    throw Error(ErrorCode::usage, name + " runs only on a GPU; use --device cuda or auto");
  if (connectivity) choose(options, *connectivity, 0, Gpu::untried);
}

const Algorithm& intended_algorithm(const EngineOptions& options, Connectivity connectivity,
                                    std::int64_t elements) {
  return choose(options, connectivity, elements, Gpu::untried);
}

const Algorithm& choose(const EngineOptions& options, Connectivity connectivity, std::int64_t elements,
                        Gpu gpu) {
  const bool automatic = options.algorithm == "auto";
  const std::string name = automatic ? kDefault : options.algorithm;
  const Algorithm* on_cpu = find_algorithm(name, DeviceKind::cpu);
  const Algorithm* on_gpu = find_algorithm(name, DeviceKind::cuda);

  if (automatic && options.device == DeviceChoice::cuda) return default_on_gpu(connectivity);
  if (options.device == DeviceChoice::cuda) return checked(*on_gpu, connectivity);
  if (on_cpu == nullptr) {  // only a GPU has this algorithm; an invalid pair is an error on every machine
    const Algorithm& named = checked(*on_gpu, connectivity);
    return gpu == Gpu::unusable ? *find_algorithm(kDefault, DeviceKind::cpu) : named;
  }
  const std::int64_t worth = gpu == Gpu::started ? kElementsWorthStartedGpu : kElementsWorthGpu;
  const bool gpu_pays = options.device == DeviceChoice::automatic && gpu != Gpu::unusable &&
                        elements / threads_at_work() >= worth;
  if (gpu_pays && labels(on_gpu, connectivity)) return *on_gpu;
  return checked(*on_cpu, connectivity);
}

}  // namespace gpuccl
