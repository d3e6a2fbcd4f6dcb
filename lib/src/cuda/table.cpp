#include <map>

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
#include "common/algorithms.def"

namespace gpuccl::cuda {

std::vector<BlockConfiguration> c2fl_configurations();
std::vector<BlockConfiguration> dlp_configurations();

namespace {

/// The functions of an algorithm's file. `instrumented` is null for the engine's own.
struct Functions {
  std::vector<Variant> (*usual)();
  std::vector<Variant> (*instrumented)();
};

const Functions& functions_of(const std::string& name) {
  static const std::map<std::string, Functions> all = {
#define GPUCCL_PAPER(identifier, name, ...) \
  {name, {identifier##_variants, instrumented::identifier##_variants}},
#define GPUCCL_ENGINE(identifier, name, ...) {name, {identifier##_variants, nullptr}},
#include "common/algorithms.def"
  };
  return all.at(name);
}

}  // namespace

std::vector<Variant> variants_of(const std::string& name, const std::vector<Connectivity>&) {
  return functions_of(name).usual();
}

std::vector<Variant> instrumented_variants_of(const std::string& name, const std::vector<Connectivity>&) {
  const Functions& functions = functions_of(name);
  return functions.instrumented != nullptr ? functions.instrumented() : std::vector<Variant>();
}

std::vector<BlockConfiguration> block_configurations_of(const Algorithm& algorithm) {
  if (algorithm.name == "c2fl") return c2fl_configurations();
  if (algorithm.name == "dlp") return dlp_configurations();
  return {};
}

}  // namespace gpuccl::cuda
