#include "cuda/algorithms/algorithms.hpp"

#include "cuda/cuda.hpp"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::vector<Algorithm> algorithms() {
  using enum Connectivity;
  constexpr DeviceKind kCuda = DeviceKind::cuda;
  const char* const allegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
  const char* const cabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
  const char* const chen = "Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452";
  const char* const hawick = "Hawick, Leist, Playne 2010, doi:10.1016/j.parco.2010.07.002";
  const char* const kalentev = "Kalentev et al. 2011, doi:10.1016/j.jpdc.2010.10.012";
  return {
      {"runs", "Runs of bundled rows, tiles in parallel", "", kCuda,
       {{c4, make_runs_c4}, {c8, make_runs_c8}, {c6, make_runs_c6}, {c18, make_runs_c18}, {c26, make_runs_c26}}},
      {"np", "Neighbour propagation", hawick, kCuda,
       {{c4, make_np_c4}, {c8, make_np_c8}, {c6, make_np_c6}, {c18, make_np_c18}, {c26, make_np_c26}}},
      {"rcu", "Row-Column Unification", kalentev, kCuda, {{c4, make_rcu_c4}, {c8, make_rcu_c8}}},
      {"le", "Label Equivalence", hawick, kCuda,
       {{c4, make_le_c4}, {c8, make_le_c8}, {c6, make_le_c6}, {c26, make_le_c26}}},
      {"ole", "Optimized Label Equivalence", kalentev, kCuda,
       {{c4, make_ole_c4}, {c8, make_ole_c8}, {c6, make_ole_c6}, {c26, make_ole_c26}}},
      {"smccl", "Hierarchical merging of shared-memory tiles", "Stava, Benes 2011", kCuda,
       {{c4, make_smccl_c4}, {c8, make_smccl_c8}}},
      {"uf", "Union-Find", "Oliveira, Lotufo 2010", kCuda,
       {{c4, make_uf_c4}, {c8, make_uf_c8}, {c6, make_uf_c6}, {c18, make_uf_c18}, {c26, make_uf_c26}}},
      {"ke", "Komura Equivalence", "Komura 2015, doi:10.1016/j.cpc.2015.04.015", kCuda,
       {{c4, make_ke_c4}, {c8, make_ke_c8}}},
      {"ke-playne", "Komura Equivalence without redundant unions",
       "Playne, Hawick 2018, doi:10.1109/TPDS.2018.2799216", kCuda, {{c4, make_ke_playne_c4}, {c6, make_ke_playne_c6}}},
      {"lbuf", "Line-Based Union-Find", "Yonehara, Aizawa 2015", kCuda,
       {{c4, make_lbuf_c4}, {c8, make_lbuf_c8}}},
      {"dlp", "Distanceless Label Propagation", cabaret, kCuda, {{c8, make_dlp}}},
      {"dlp-ruf", "Distanceless Label Propagation, no preprocessing", cabaret, kCuda, {{c8, make_dlp_ruf}}},
      {"dlp-lazy", "Distanceless Label Propagation, trees of tiles not flattened", cabaret, kCuda,
       {{c8, make_dlp_lazy}}},
      {"ouf", "Optimized Union-Find", "Chen et al. 2017, arXiv:1708.08180", kCuda,
       {{c4, make_ouf_c4}, {c8, make_ouf_c8}}},
      {"c2fl", "Coarse-to-Fine labeling", chen, kCuda, {{c4, make_c2fl_c4}, {c8, make_c2fl_c8}}},
      {"rc2fl", "Coarse-to-Fine labeling, coarse along rows only", chen, kCuda,
       {{c4, make_rc2fl_c4}, {c8, make_rc2fl_c8}}},
      {"cc2fl", "Coarse-to-Fine labeling, coarse along columns only", chen, kCuda,
       {{c4, make_cc2fl_c4}, {c8, make_cc2fl_c8}}},
      {"nc2fl", "Coarse-to-Fine labeling without coarse labeling", chen, kCuda,
       {{c4, make_nc2fl_c4}, {c8, make_nc2fl_c8}}},
      {"be", "Block Equivalence", "Zavalishin, Safonov, Bekhtin, Kurilin 2016", kCuda,
       {{c8, make_be_2d}, {c26, make_be_3d}}},
      {"buf", "Block-based Union-Find", allegretti, kCuda, {{c8, make_buf_2d}, {c26, make_buf_3d}}},
      {"buf-ic", "Block-based Union-Find, inline compression", allegretti, kCuda,
       {{c8, make_buf_ic_2d}, {c26, make_buf_ic_3d}}},
      {"bke", "Block-based Komura Equivalence", allegretti, kCuda, {{c8, make_bke_2d}, {c26, make_bke_3d}}},
      {"bke-ic", "Block-based Komura Equivalence, inline compression", allegretti, kCuda,
       {{c8, make_bke_ic_2d}, {c26, make_bke_ic_3d}}},
  };
}

}  // namespace gpuccl::cuda
