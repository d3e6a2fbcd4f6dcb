#include "support/corpus.hpp"

#include <sstream>

#include "binary.hpp"
#include "support/catch.hpp"

// Third-party files, each with what it must give: component counts or an exit code.
namespace gpuccl {
namespace {

/// One line with a reason that is not empty; warnings may stand before it.
void check_refusal(const Ended& ended, const std::string& path) {
  CHECK(ended.code == 65);
  CHECK(ended.out == "");
  const std::string start = "gpuccl: " + path + ": ";
  const std::size_t last = ended.err.rfind("gpuccl: ");
  REQUIRE(last != std::string::npos);
  CHECK(ended.err.substr(last).starts_with(start));
  CHECK(ended.err.size() > last + start.size() + 5);
}

void check_report(const Json& report, const tests::CorpusCase& expected, const std::string& components) {
  CHECK(report["labeling"]["components"].dump() == components);
  CHECK(expected.shape.starts_with(report["input"]["width"].dump() + "x" + report["input"]["height"].dump()));
  std::int64_t area = 0;
  for (const Json& component : report["components"]) area += component["area"].get<std::int64_t>();
  CHECK(area == expected.foreground);
}

/// Labels the file by one connectivity, "8", or by the default, "", and compares the number of components
/// unless it is unknown, "".
void check(const tests::CorpusCase& file, const std::string& connectivity, const std::string& components) {
  Words words = {"label", file.path, "--json", "-"};
  if (file.inverted) words.push_back("--invert");
  if (!connectivity.empty()) words.insert(words.end(), {"-c", connectivity});
  const Ended ended = gpuccl(words);
  CAPTURE(words, ended.err);
  if (file.must_fail || (file.may_fail && ended.code != 0)) return check_refusal(ended, file.path);
  REQUIRE(ended.code == 0);
  const Json report = Json::parse(ended.out);
  if (!components.empty()) check_report(report, file, components);
}

TEST_CASE("third-party files are labeled or refused as they should be") {
  const std::vector<tests::CorpusCase> files = tests::corpus_cases();
  for (const tests::CorpusCase& file : files) {
    std::istringstream counts(file.components);
    bool known = false;
    for (std::string item; counts >> item && item != "-"; known = true)
      check(file, item.substr(0, item.find(':')), item.substr(item.find(':') + 1));
    if (!known) check(file, "", "");
  }
  CHECK((files.empty() || files.size() > 500));
}

}  // namespace
}  // namespace gpuccl
