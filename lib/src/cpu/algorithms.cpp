#include "cpu/algorithms.hpp"

namespace gpuccl::cpu {
namespace {

template <std::unique_ptr<Labeler> (*make)(Connectivity)>
std::vector<Variant> every_connectivity() {
  using enum Connectivity;
  return {{c4, [](int) { return make(c4); }},
          {c8, [](int) { return make(c8); }},
          {c6, [](int) { return make(c6); }},
          {c18, [](int) { return make(c18); }},
          {c26, [](int) { return make(c26); }}};
}

template <std::unique_ptr<Labeler> (*make)(Connectivity)>
std::vector<Variant> both_in_2d() {
  using enum Connectivity;
  return {{c4, [](int) { return make(c4); }}, {c8, [](int) { return make(c8); }}};
}

}  // namespace

std::vector<Algorithm> algorithms() {
  constexpr DeviceKind kCpu = DeviceKind::cpu;
  const char* const cabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
  return {
      {"runs",
       "Union-find of runs, strips in parallel",
       "",
       kCpu,
       every_connectivity<make_runs>(),
       {},
       {},
       runs_table_bytes},
      {"flood-fill",
       "Flood fill, the reference",
       "",
       kCpu,
       every_connectivity<make_flood_fill>(),
       {},
       {},
       flood_fill_table_bytes},
      {"sauf",
       "Scan plus Array-based Union-Find",
       "Wu, Otoo, Suzuki 2005, LBNL-59102",
       kCpu,
       both_in_2d<make_sauf>(),
       {{"FirstScan"}, {"Flatten"}, {"SecondScan"}},
       {},
       slice_table_bytes},
      {"hcs2-aremsp",
       "Two-row scan with Rem's union with splicing",
       "He, Chao, Suzuki 2012; Gupta et al. 2014",
       kCpu,
       {{Connectivity::c8, [](int) { return make_hcs2_aremsp(Connectivity::c8); }}},
       {{"FirstScan"}, {"Flatten"}, {"SecondScan"}},
       {},
       slice_table_bytes},
      {"pred",
       "Scan with pixel prediction",
       "Grana, Baraldi, Bolelli 2016",
       kCpu,
       {{Connectivity::c8, [](int) { return make_pred(Connectivity::c8); }}},
       {{"FirstScan"}, {"Flatten"}, {"SecondScan"}},
       {},
       slice_table_bytes},
      {"drag",
       "Directed Rooted Acyclic Graph over 2x2 blocks",
       "Bolelli, Baraldi, Cancilla, Grana 2018",
       kCpu,
       {{Connectivity::c8, [](int) { return make_drag(Connectivity::c8); }}},
       {{"FirstScan"}, {"Flatten"}, {"SecondScan"}},
       {},
       slice_table_bytes},
      {"ep",
       "Embarrassingly Parallel label propagation",
       cabaret,
       kCpu,
       both_in_2d<make_ep>(),
       {{"Init"}, {"Propagate", kRepeated}},
       {},
       slice_table_bytes},
      {"fb",
       "Forward-Backward label propagation",
       cabaret,
       kCpu,
       both_in_2d<make_fb>(),
       {{"Init"}, {"Forward", kRepeated}, {"Backward", kRepeated}},
       {},
       slice_table_bytes},
  };
}

}  // namespace gpuccl::cpu
