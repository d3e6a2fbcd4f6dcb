#include <stdexcept>

#include "cuda/cuda.hpp"

namespace gpuccl::cuda {
namespace {

/// Properties of an algorithm, without its kernels.
struct Row {
  const char* name;
  const char* title;
  const char* paper;
  std::vector<Connectivity> connectivities;
  Phases phases;
  Phases phases_3d = {};
};

const char* const kAllegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
const char* const kCabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
const char* const kChen = "Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452";
const char* const kHawick = "Hawick, Leist, Playne 2010, doi:10.1016/j.parco.2010.07.002";
const char* const kHennequin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, hal-01923784";
const char* const kKalentev = "Kalentev et al. 2011, doi:10.1016/j.jpdc.2010.10.012";
const char* const kSoh = "Soh, Ashraf, Hae, Kim 2014";
const char* const kTrees = "Allegretti et al. 2019";

std::vector<Row> rows() {
  using enum Connectivity;
  return {
#define LIST(...) \
  { __VA_ARGS__ }
#define GPUCCL_PAPER(identifier, ...) {__VA_ARGS__},
#define GPUCCL_ENGINE(identifier, ...) {__VA_ARGS__},
#include "common/gpu_algorithms.def"
#undef GPUCCL_ENGINE
#undef GPUCCL_PAPER
#undef LIST
  };
}

bool fit(const std::vector<Variant>& variants, const std::vector<Connectivity>& connectivities) {
  std::vector<Connectivity> made;
  made.reserve(variants.size());
  for (const Variant& variant : variants) made.push_back(variant.connectivity);
  return made == connectivities;
}

}  // namespace

std::vector<Algorithm> gpu_table(VariantsOf variants_of) {
  std::vector<Algorithm> table;
  for (Row& row : rows()) {
    std::vector<Variant> variants = variants_of(row.name, row.connectivities);
    if (variants.empty()) continue;
    if (!fit(variants, row.connectivities))
      throw std::logic_error(std::string(row.name) + " labels other connectivities than its row says");
    table.push_back({row.name, row.title, row.paper, DeviceKind::cuda, std::move(variants),
                     std::move(row.phases), std::move(row.phases_3d)});
  }
  return table;
}

}  // namespace gpuccl::cuda
