#include <map>
#include <utility>

#include "cuda/cuda.hpp"

// Declares the functions with which the algorithms' files, and their instrumented versions, add rows to the
// table.
#define GPUCCL_ENGINE(identifier, ...)          \
  namespace gpuccl::cuda {                      \
  std::vector<Variant> identifier##_variants(); \
  }
#define GPUCCL_PAPER(identifier, ...)           \
  GPUCCL_ENGINE(identifier)                     \
  namespace gpuccl::instrumented {              \
  std::vector<Variant> identifier##_variants(); \
  }
#include "common/gpu_algorithms.def"
#undef GPUCCL_PAPER
#undef GPUCCL_ENGINE

namespace gpuccl::cuda {

std::vector<BlockConfiguration> c2fl_configurations();
std::vector<BlockConfiguration> dlp_configurations();

namespace {

using VariantsByName = std::map<std::string, std::vector<Variant> (*)()>;

std::vector<Variant> find(const VariantsByName& all, const std::string& name) {
  const auto at = all.find(name);
  return at != all.end() ? at->second() : std::vector<Variant>();
}

std::vector<Variant> variants_of(const std::string& name, const std::vector<Connectivity>&) {
  static const VariantsByName all = {
#define GPUCCL_PAPER(identifier, name, ...) {name, identifier##_variants},
#define GPUCCL_ENGINE(identifier, name, ...) {name, identifier##_variants},
#include "common/gpu_algorithms.def"
#undef GPUCCL_ENGINE
#undef GPUCCL_PAPER
  };
  return find(all, name);
}

std::vector<Variant> counted_variants_of(const std::string& name, const std::vector<Connectivity>&) {
  static const VariantsByName all = {
#define GPUCCL_PAPER(identifier, name, ...) {name, instrumented::identifier##_variants},
#define GPUCCL_ENGINE(identifier, ...)
#include "common/gpu_algorithms.def"
#undef GPUCCL_ENGINE
#undef GPUCCL_PAPER
  };
  return find(all, name);
}

}  // namespace

std::vector<Algorithm> algorithms() { return gpu_table(variants_of); }

std::vector<Algorithm> instrumented_algorithms() { return gpu_table(counted_variants_of); }

std::vector<Algorithm> block_configurations() {
  std::vector<Algorithm> all;
  const auto add = [&](const Algorithm& usual, std::vector<BlockConfiguration> configurations) {
    for (BlockConfiguration& one : configurations) {
      all.push_back(usual);
      all.back().variants = std::move(one.variants);
      all.back().blocks = std::move(one.blocks);
    }
  };
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == "c2fl") add(algorithm, c2fl_configurations());
    if (algorithm.name == "dlp") add(algorithm, dlp_configurations());
  }
  return all;
}

}  // namespace gpuccl::cuda
