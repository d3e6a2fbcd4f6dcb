#include "common/gpu_table.hpp"

#include <stdexcept>

namespace gpuccl {
namespace {

/// A row without its factories.
struct Row {
  const char* name;
  const char* title;
  const char* paper;
  Phases phases;
  std::vector<Connectivity> connectivities;
  Phases phases_3d = {};
};

const char* const kAllegretti = "Allegretti, Bolelli, Grana 2020, doi:10.1109/TPDS.2019.2934683";
const char* const kCabaret = "Cabaret, Lacassagne, Etiemble 2017, doi:10.1109/IPTA.2017.8310147";
const char* const kChen = "Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452";
const char* const kHawick = "Hawick, Leist, Playne 2010, doi:10.1016/j.parco.2010.07.002";
const char* const kKalentev = "Kalentev et al. 2011, doi:10.1016/j.jpdc.2010.10.012";

std::vector<Row> rows() {
  using enum Connectivity;
  const Phases phases_of_dlp = {{"TileLabeling"}, {"SouthBorders"}, {"EastBorders"}, {"Relabeling"}};
  const Phases phases_of_c2fl = {{"LocalLabeling"}, {"BoundaryMerge"}, {"Update"}};
  const Phases phases_of_buf = {{"Initialization"}, {"Merge"}, {"Compression"}, {"FinalLabeling"}};
  const Phases phases_of_bke = {
      {"Initialization"}, {"Compression"}, {"Reduction"}, {"Compression"}, {"FinalLabeling"}};
  return {
      {"runs", "Runs of bundled rows, tiles in parallel", "", {}, {c4, c8, c6, c18, c26}},
      {"runs-bytes", "Runs of bundled rows, from one byte an element", "", {}, {c4, c8, c6, c18, c26}},
      {"np", "Neighbour propagation", kHawick, {{"Init"}, {"Propagate", kRepeated}}, {c4, c8, c6, c18, c26}},
      {"rcu",
       "Row-Column Unification",
       kKalentev,
       {{"Init"}, {"Rows", kRepeated}, {"Columns", kRepeated}},
       {c4, c8}},
      {"le",
       "Label Equivalence",
       kHawick,
       {{"Init"}, {"Scan", kRepeated}, {"Analysis", kRepeated}, {"Labeling", kRepeated}},
       {c4, c8, c6, c26}},
      {"ole",
       "Optimized Label Equivalence",
       kKalentev,
       {{"Init"}, {"Scan", kRepeated}, {"Analysis", kRepeated}},
       {c4, c8, c6, c26}},
      {"smccl",
       "Hierarchical merging of shared-memory tiles",
       "Stava, Benes 2011",
       {{"LocalMerge"}, {"BorderMerge", kRepeated}, {"Relabeling"}},
       {c4, c8}},
      {"uf",
       "Union-Find",
       "Oliveira, Lotufo 2010",
       {{"LocalMerge"}, {"GlobalMerge"}, {"PathCompression"}},
       {c4, c8, c6, c18, c26},
       {{"Initialization"}, {"Merge"}, {"PathCompression"}}},
      {"ke",
       "Komura Equivalence",
       "Komura 2015, doi:10.1016/j.cpc.2015.04.015",
       {{"Initialization"}, {"Analysis"}, {"Reduction"}, {"Analysis"}},
       {c4, c8}},
      {"ke-playne",
       "Komura Equivalence without redundant unions",
       "Playne, Hawick 2018, doi:10.1109/TPDS.2018.2799216",
       {{"InitLabels"}, {"ResolveLabels"}, {"LabelReduction"}, {"ResolveLabels"}},
       {c4, c6}},
      {"lbuf",
       "Line-Based Union-Find",
       "Yonehara, Aizawa 2015",
       {{"LocalMerge"}, {"GlobalMerge"}, {"Compression"}},
       {c4, c8}},
      {"dlp", "Distanceless Label Propagation", kCabaret, phases_of_dlp, {c8}},
      {"dlp-ruf", "Distanceless Label Propagation, no preprocessing", kCabaret, phases_of_dlp, {c8}},
      {"dlp-lazy",
       "Distanceless Label Propagation, trees of tiles not flattened",
       kCabaret,
       phases_of_dlp,
       {c8}},
      {"ouf",
       "Optimized Union-Find",
       "Chen et al. 2017, arXiv:1708.08180",
       {{"LocalMerge"}, {"BoundaryAnalysis"}, {"Link"}},
       {c4, c8}},
      {"c2fl", "Coarse-to-Fine labeling", kChen, phases_of_c2fl, {c4, c8}},
      {"rc2fl", "Coarse-to-Fine labeling, coarse along rows only", kChen, phases_of_c2fl, {c4, c8}},
      {"cc2fl", "Coarse-to-Fine labeling, coarse along columns only", kChen, phases_of_c2fl, {c4, c8}},
      {"nc2fl", "Coarse-to-Fine labeling without coarse labeling", kChen, phases_of_c2fl, {c4, c8}},
      {"be",
       "Block Equivalence",
       "Zavalishin, Safonov, Bekhtin, Kurilin 2016",
       {{"Init"}, {"Scan", kRepeated}, {"Analysis", kRepeated}, {"FinalLabeling"}},
       {c8, c26}},
      {"buf", "Block-based Union-Find", kAllegretti, phases_of_buf, {c8, c26}},
      {"buf-ic", "Block-based Union-Find, inline compression", kAllegretti, phases_of_buf, {c8, c26}},
      {"bke", "Block-based Komura Equivalence", kAllegretti, phases_of_bke, {c8, c26}},
      {"bke-ic", "Block-based Komura Equivalence, inline compression", kAllegretti, phases_of_bke, {c8, c26}},
  };
}

}  // namespace

std::vector<Algorithm> gpu_table(MakersOf makers_of) {
  std::vector<Algorithm> table;
  for (const Row& row : rows()) {
    const std::vector<MakeLabeler> makers = makers_of(row.name, row.connectivities);
    if (makers.empty()) continue;
    if (makers.size() != row.connectivities.size())
      throw std::logic_error(std::string(row.name) + ": not one factory a connectivity");
    Algorithm algorithm{row.name, row.title, row.paper, DeviceKind::cuda, {}, row.phases, row.phases_3d};
    for (std::size_t i = 0; i < makers.size(); ++i)
      algorithm.variants.push_back({row.connectivities[i], makers[i]});
    table.push_back(std::move(algorithm));
  }
  return table;
}

}  // namespace gpuccl
