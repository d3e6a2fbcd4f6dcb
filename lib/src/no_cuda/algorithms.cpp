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
  const char* const cabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
  const char* const chen = "Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452";
  const char* const hawick = "Hawick, Leist, Playne 2010, doi:10.1016/j.parco.2010.07.002";
  const char* const kalentev = "Kalentev et al. 2011, doi:10.1016/j.jpdc.2010.10.012";
  return {
      {"runs", "Runs of bundled rows, tiles in parallel", "", kCuda, variants({c4, c8, c6, c18, c26})},
      {"np", "Neighbour propagation", hawick, kCuda, variants({c4, c8, c6, c18, c26})},
      {"rcu", "Row-Column Unification", kalentev, kCuda, variants({c4, c8})},
      {"le", "Label Equivalence", hawick, kCuda, variants({c4, c8, c6, c26})},
      {"ole", "Optimized Label Equivalence", kalentev, kCuda, variants({c4, c8, c6, c26})},
      {"smccl", "Hierarchical merging of shared-memory tiles", "Stava, Benes 2011", kCuda,
       variants({c4, c8})},
      {"uf", "Union-Find", "Oliveira, Lotufo 2010", kCuda, variants({c4, c8, c6, c18, c26})},
      {"ke", "Komura Equivalence", "Komura 2015, doi:10.1016/j.cpc.2015.04.015", kCuda, variants({c4, c8})},
      {"ke-playne", "Komura Equivalence without redundant unions",
       "Playne, Hawick 2018, doi:10.1109/TPDS.2018.2799216", kCuda, variants({c4, c6})},
      {"lbuf", "Line-Based Union-Find", "Yonehara, Aizawa 2015", kCuda, variants({c4, c8})},
      {"dlp", "Distanceless Label Propagation", cabaret, kCuda, variants({c8})},
      {"dlp-ruf", "Distanceless Label Propagation, no preprocessing", cabaret, kCuda, variants({c8})},
      {"dlp-lazy", "Distanceless Label Propagation, trees of tiles not flattened", cabaret, kCuda,
       variants({c8})},
      {"ouf", "Optimized Union-Find", "Chen et al. 2017, arXiv:1708.08180", kCuda, variants({c4, c8})},
      {"c2fl", "Coarse-to-Fine labeling", chen, kCuda, variants({c4, c8})},
      {"rc2fl", "Coarse-to-Fine labeling, coarse along rows only", chen, kCuda, variants({c4, c8})},
      {"cc2fl", "Coarse-to-Fine labeling, coarse along columns only", chen, kCuda, variants({c4, c8})},
      {"nc2fl", "Coarse-to-Fine labeling without coarse labeling", chen, kCuda, variants({c4, c8})},
      {"be", "Block Equivalence", "Zavalishin, Safonov, Bekhtin, Kurilin 2016", kCuda, variants({c8, c26})},
      {"buf", "Block-based Union-Find", allegretti, kCuda, variants({c8, c26})},
      {"buf-ic", "Block-based Union-Find, inline compression", allegretti, kCuda, variants({c8, c26})},
      {"bke", "Block-based Komura Equivalence", allegretti, kCuda, variants({c8, c26})},
      {"bke-ic", "Block-based Komura Equivalence, inline compression", allegretti, kCuda,
       variants({c8, c26})},
  };
}

}  // namespace gpuccl::no_cuda
