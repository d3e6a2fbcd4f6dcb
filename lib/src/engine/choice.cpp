#include "engine/choice.hpp"

#include <algorithm>
#include <vector>

#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

constexpr const char* kDefault = "runs";

std::string known_names() {
  std::vector<std::string> names = {"auto"};
  for (const Algorithm& algorithm : algorithms())
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) names.push_back(algorithm.name);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string connectivities(const Algorithm& algorithm) {
  std::string list;
  for (const Variant& variant : algorithm.variants)
    list += (list.empty() ? "" : ", ") + std::to_string(static_cast<int>(variant.connectivity));
  return list;
}

bool labels(const Algorithm* algorithm, Connectivity connectivity) {
  return algorithm != nullptr && find_variant(*algorithm, connectivity) != nullptr;
}

const Algorithm& checked(const Algorithm& algorithm, Connectivity connectivity) {
  if (!labels(&algorithm, connectivity))
    throw Error(ErrorCode::usage, algorithm.name + " does not label " +
                                      std::to_string(static_cast<int>(connectivity)) +
                                      "-connectivity; it does " + connectivities(algorithm));
  return algorithm;
}

/// Returns the algorithm of `--algo auto --device cuda`: `runs`, or the first one that supports the
/// connectivity.
const Algorithm& default_on_gpu(Connectivity connectivity) {
  const Algorithm* runs = find_algorithm(kDefault, DeviceKind::cuda);
  if (labels(runs, connectivity)) return *runs;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.device == DeviceKind::cuda && labels(&algorithm, connectivity)) return algorithm;
  throw Error(ErrorCode::usage,
              "no CUDA algorithm labels " + std::to_string(static_cast<int>(connectivity)) + "-connectivity");
}

}  // namespace

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
