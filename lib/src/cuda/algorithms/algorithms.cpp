#include "cuda/algorithms/algorithms.hpp"

#include "cuda/cuda.hpp"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::vector<Algorithm> algorithms() {
  using enum Connectivity;
  constexpr DeviceKind kCuda = DeviceKind::cuda;
  const char* const allegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
  return {
      {"runs", "Runs of bundled rows, tiles in parallel", "", kCuda,
       {{c4, make_runs_c4}, {c8, make_runs_c8}, {c6, make_runs_c6}, {c18, make_runs_c18}, {c26, make_runs_c26}}},
      {"uf", "Union-Find", "Oliveira, Lotufo 2010", kCuda,
       {{c4, make_uf_c4}, {c8, make_uf_c8}, {c6, make_uf_c6}, {c18, make_uf_c18}, {c26, make_uf_c26}}},
      {"ke", "Komura Equivalence", "Komura 2015, doi:10.1016/j.cpc.2015.04.015", kCuda,
       {{c4, make_ke_c4}, {c8, make_ke_c8}}},
      {"buf", "Block-based Union-Find", allegretti, kCuda, {{c8, make_buf_2d}, {c26, make_buf_3d}}},
      {"buf-ic", "Block-based Union-Find, inline compression", allegretti, kCuda,
       {{c8, make_buf_ic_2d}, {c26, make_buf_ic_3d}}},
      {"bke", "Block-based Komura Equivalence", allegretti, kCuda, {{c8, make_bke_2d}, {c26, make_bke_3d}}},
      {"bke-ic", "Block-based Komura Equivalence, inline compression", allegretti, kCuda,
       {{c8, make_bke_ic_2d}, {c26, make_bke_ic_3d}}},
  };
}

}  // namespace gpuccl::cuda
