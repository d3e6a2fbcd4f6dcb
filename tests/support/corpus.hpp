#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tests {

/// A line of the corpus's EXPECTED.tsv.
struct CorpusCase {
  std::string path;              // to open
  std::string name;              // in the corpus
  std::string shape;             // "16x16x3"; "-" unknown, "error" for a broken file
  bool inverted = false;         // read with --invert
  std::string rule;              // what makes a sample foreground; "-" unknown
  std::int64_t foreground = -1;  // elements; -1 unknown
  std::string components;        // "4:2 8:2"
  bool may_fail = false;         // exit code 65 is as good as the right answer
  bool must_fail = false;        // with exit code 65
};

/// The folder of third-party files that tests may use: GPUCCL_SHARED, else ../shared next to the project.
/// Empty, with a line on stderr that says so, where there is none: then the tests that need it are skipped.
std::filesystem::path shared_folder();

/// All lines of the corpus; empty without a shared folder.
std::vector<CorpusCase> corpus_cases();

/// Every image of the corpus once.
std::vector<std::string> corpus_files();

}  // namespace tests
