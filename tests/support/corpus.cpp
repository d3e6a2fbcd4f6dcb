#include "support/corpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace tests {

namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* stated = std::getenv("GPUCCL_SHARED");
  const fs::path folder = stated != nullptr ? fs::path(stated) : fs::current_path().parent_path() / "shared";
  if (fs::exists(folder / "corpus" / "EXPECTED.tsv")) return folder;
  std::cerr << "skipped: no third-party files in " << folder.string() << " (GPUCCL_SHARED)\n";
  return {};
}

std::vector<CorpusCase> corpus_cases() {
  const fs::path shared = shared_folder();
  std::vector<CorpusCase> cases;
  if (shared.empty()) return cases;
  std::ifstream lines(shared / "corpus" / "EXPECTED.tsv");
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
    if (fields.size() < 10) throw std::runtime_error("EXPECTED.tsv has a line of another form: " + line);
    CorpusCase c;
    c.name = fields[0];
    c.path = (shared / "corpus" / fields[0]).string();
    c.shape = fields[3];
    c.inverted = fields[4] == "dark";
    c.rule = fields[5];
    c.foreground = fields[6] == "-" ? -1 : std::stoll(fields[6]);
    c.components = fields[7];
    c.may_fail = fields[9] == "label or 65";
    c.must_fail = fields[9] == "65";
    cases.push_back(c);
  }
  return cases;
}

std::vector<std::string> corpus_files() {
  std::vector<std::string> files;
  for (const CorpusCase& c : corpus_cases())
    if (files.empty() || files.back() != c.path) files.push_back(c.path);
  return files;
}

}  // namespace tests
