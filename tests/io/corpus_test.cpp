// The readers on third-party files, whole and damaged.

#include <iostream>

#include "gpuccl/image.hpp"
#include "io/image/limits.hpp"
#include "io/image/read_options.hpp"
#include "io/read/reader.hpp"
#include "support/bits.hpp"
#include "support/memory_file.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

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

/// All lines of the table of third-party files in the folder GPUCCL_SHARED, else ../shared next to the
/// project. Empty, with a line on stderr that says so, where there is none: then these tests are skipped.
std::vector<CorpusCase> corpus_cases() {
  const char* const stated = std::getenv("GPUCCL_SHARED");
  const std::string folder = stated != nullptr ? stated : "../shared";
  std::ifstream lines(folder + "/corpus/EXPECTED.tsv");
  if (!lines) std::cerr << "skipped: no third-party files in " << folder << " (GPUCCL_SHARED)\n";
  std::vector<CorpusCase> cases;
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
    REQUIRE(fields.size() >= 10);
    cases.push_back({.path = folder + "/corpus/" + fields[0],
                     .name = fields[0],
                     .shape = fields[3],
                     .inverted = fields[4] == "dark",
                     .rule = fields[5],
                     .foreground = fields[6] == "-" ? -1 : std::stoll(fields[6]),
                     .components = fields[7],
                     .may_fail = fields[9] == "label or 65",
                     .must_fail = fields[9] == "65"});
  }
  return cases;
}

/// Every image of the corpus once.
std::vector<std::string> corpus_files() {
  std::vector<std::string> files;
  for (const CorpusCase& c : corpus_cases())
    if (files.empty() || files.back() != c.path) files.push_back(c.path);
  return files;
}

ReadOptions options_of(bool inverted) {
  ReadOptions options;
  options.foreground.invert = inverted;
  return options;
}

/// With a limit on memory, so that what remains of a damaged header does not take all there is.
ReadOptions small_options() {
  ReadOptions options;
  options.limits.memory = std::int64_t{64} << 20;
  return options;
}

/// Reads `path`, which may be refused, but only as bad data.
std::optional<BitVolume> read_if_good(const std::string& path) {
  try {
    return read_image(path, small_options());
  } catch (const Error& error) {
    const std::string reason = error.what();
    CAPTURE(reason);
    REQUIRE(error.code() == ErrorCode::data);
    REQUIRE(reason.size() > 5);
    return std::nullopt;
  }
}

/// Every length of a small file, and lengths spread over a large one, closer at its ends.
std::vector<std::size_t> cuts_of(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 0; cut < size; ++cut)
    if (size <= 1024 || cut < 24 || size - cut < 24 || cut % (size / 64) == 0) cuts.push_back(cut);
  return cuts;
}

}  // namespace

TEST_CASE("every file of the corpus is read as its table says") {
  for (const CorpusCase& c : corpus_cases()) {
    CAPTURE(c.name, c.inverted);
    if (c.must_fail) {
      REQUIRE(error_code_of([&] { read_image(c.path, {}); }) == ErrorCode::data);
      continue;
    }
    ImageInfo info;
    BitVolume image;
    try {
      image = read_image(c.path, options_of(c.inverted), &info);
    } catch (const Error& error) {
      CAPTURE(error.what());
      REQUIRE(c.may_fail);
      REQUIRE(error.code() == ErrorCode::data);
      continue;
    }
    if (c.foreground < 0) continue;
    REQUIRE(to_string(info.extent) == c.shape);
    REQUIRE(count_foreground(image.view()) == c.foreground);
    REQUIRE(info.foreground_rule == c.rule + (c.inverted ? ", inverted" : ""));
    std::istringstream counts(c.components);
    int connectivity = 0;
    for (char colon; counts >> connectivity >> colon;) {
      Label count = 0;
      counts >> count;
      REQUIRE(tests::flood_fill(image.view(), Connectivity{connectivity}).labels->count() == count);
    }
  }
}

TEST_CASE("a file of the corpus that ends early is an error or is read as if it were whole") {
  tests::MemoryFile file;
  for (const std::string& path : corpus_files()) {
    const std::string content = read_file(path);
    const std::optional<BitVolume> whole = read_if_good(path);
    file.write(content);
    std::vector<std::size_t> cuts = cuts_of(content.size());
    std::reverse(cuts.begin(), cuts.end());
    for (const std::size_t cut : cuts) {
      file.truncate(cut);
      CAPTURE(path, cut);
      const std::optional<BitVolume> image = read_if_good(file.path());
      if (image) REQUIRE((whole && tests::same_bits(*image, *whole)));
    }
  }
}

TEST_CASE("a damaged byte in a file of the corpus is an error or is read, but nothing worse") {
  tests::MemoryFile file;
  const std::vector<std::string> files = corpus_files();
  for (std::size_t i = 0; i < files.size(); i += 3) {  // neighbors in the list are much alike
    const std::string content = read_file(files[i]);
    file.write(content);
    for (std::size_t at = 0; at < std::min<std::size_t>(content.size(), 300); ++at) {
      for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
        file.overwrite(at, {value});
        CAPTURE(files[i], at, static_cast<int>(value));
        try {
          read_image(file.path(), small_options());
        } catch (const Error& error) {
          const bool is_refused = error.code() == ErrorCode::data || error.code() == ErrorCode::memory;
          REQUIRE(is_refused);
        }
      }
      file.overwrite(at, {content[at]});
    }
  }
}
