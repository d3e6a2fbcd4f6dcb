#include "gpuccl/algorithms.hpp"

#include "cpu/algorithms.hpp"
#include "cuda/cuda.hpp"

namespace gpuccl {

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list = cpu::algorithms();
    for (Algorithm& algorithm : cuda::algorithms()) list.push_back(std::move(algorithm));
    return list;
  }();
  return all;
}

const std::vector<Algorithm>& instrumented_algorithms() {
  static const std::vector<Algorithm> all = cuda::instrumented_algorithms();
  return all;
}

const std::vector<Algorithm>& block_configurations() {
  static const std::vector<Algorithm> all = cuda::block_configurations();
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

}  // namespace gpuccl
