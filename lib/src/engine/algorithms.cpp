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

const std::vector<Algorithm>& counting_algorithms() {
  static const std::vector<Algorithm> all = cuda::counting_algorithms();
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

std::string iterated_phase(const Algorithm& algorithm) {
  const std::size_t open = algorithm.phases.find('(');
  if (open == std::string::npos) return {};
  return algorithm.phases.substr(open + 1, algorithm.phases.find_first_of(",)", open) - open - 1);
}

}  // namespace gpuccl
