#include "no_cuda/algorithms.hpp"

#include <initializer_list>

#include "gpuccl/error.hpp"

namespace gpuccl::no_cuda {
namespace {

std::unique_ptr<Labeler> not_built_in(int) {
  throw Error(Failure::unavailable, "this build of gpuccl has no CUDA");
}

std::vector<Variant> variants(std::initializer_list<Connectivity> connectivities) {
  std::vector<Variant> list;
  for (const Connectivity connectivity : connectivities) list.push_back({connectivity, not_built_in});
  return list;
}

}  // namespace

std::vector<Algorithm> algorithms() {
  using enum Connectivity;
  constexpr DeviceKind kCuda = DeviceKind::cuda;
  const char* const allegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
  return {
      {"runs", "Runs of bundled rows, tiles in parallel", "", kCuda, variants({c4, c8, c6, c18, c26})},
      {"uf", "Union-Find", "Oliveira, Lotufo 2010", kCuda, variants({c4, c8, c6, c18, c26})},
      {"ke", "Komura Equivalence", "Komura 2015, doi:10.1016/j.cpc.2015.04.015", kCuda, variants({c4, c8})},
      {"buf", "Block-based Union-Find", allegretti, kCuda, variants({c8, c26})},
      {"buf-ic", "Block-based Union-Find, inline compression", allegretti, kCuda, variants({c8, c26})},
      {"bke", "Block-based Komura Equivalence", allegretti, kCuda, variants({c8, c26})},
      {"bke-ic", "Block-based Komura Equivalence, inline compression", allegretti, kCuda,
       variants({c8, c26})},
  };
}

}  // namespace gpuccl::no_cuda
