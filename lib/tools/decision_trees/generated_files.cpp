#include "decision_trees/generated_files.hpp"

#include "decision_trees/forest.hpp"

namespace gpuccl::decision_trees {
namespace {

std::string written(const Forest& forest, const DecisionTable& table, const std::string& what) {
  return "// Made by `ninja decision_trees`: " + what + ", " + std::to_string(questions(forest)) +
         " questions.\n" + code(forest, table);
}

}  // namespace

std::vector<GeneratedFile> generated_files() {
  const DecisionTable pixels = make_decision_table(1), blocks = make_decision_table(2);
  return {{"bbdt.inc", written(make_tree(OptimalTrees(blocks)), blocks, "the tree of BBDT")},
          {"drag.inc", written(make_drag(OptimalTrees(blocks)), blocks, "the graph of DRAG")},
          {"pred.inc", written(make_prediction(OptimalTrees(pixels), pixels), pixels, "the trees of PRED")}};
}

}  // namespace gpuccl::decision_trees
