// Writes the generated files into a folder.

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "papers/trees/forest.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_decision_trees FOLDER\n";
    return EXIT_FAILURE;
  }
  for (const auto& [name, text] : gpuccl::decision_trees::generated_files()) {
    const std::string path = std::string(argv[1]) + '/' + name;
    if (!(std::ofstream(path) << text).flush()) {
      std::cerr << path << ": cannot be written\n";
      return EXIT_FAILURE;
    }
  }
}
