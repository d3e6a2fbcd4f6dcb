#pragma once

#include <string>
#include <vector>

namespace gpuccl::decision_trees {

struct GeneratedFile {
  std::string name, text;
};

/// The files of lib/src/cpu that are not written by hand. `ninja decision_trees` makes them anew; a test
/// compares.
std::vector<GeneratedFile> generated_files();

}  // namespace gpuccl::decision_trees
