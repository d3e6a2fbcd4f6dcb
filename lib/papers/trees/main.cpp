// Writes the code of the decision trees into a folder.

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "papers/trees/forest.hpp"

using namespace gpuccl::decision_trees;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_decision_trees FOLDER\n";
    return EXIT_FAILURE;
  }
  const auto write = [&](const char* name, const Forest& forest, const DecisionTable& table) {
    std::ofstream file(argv[1] + std::string(name));
    if (!(file << code(forest, table)).flush()) throw std::ios_base::failure(argv[1] + std::string(name));
  };
  const DecisionTable pixels = make_decision_table(1), blocks = make_decision_table(2);
  const OptimalTrees of_pixels(pixels), of_blocks(blocks);
  write("/bbdt.inc", make_tree(of_blocks), blocks);
  write("/drag.inc", make_drag(of_blocks), blocks);
  write("/pred.inc", make_prediction(of_pixels, pixels), pixels);
}
