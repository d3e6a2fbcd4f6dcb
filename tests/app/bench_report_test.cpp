#include <nlohmann/json.hpp>

#include "app/bench/results.hpp"
#include "app/view/pages.hpp"
#include "gpuccl/algorithms.hpp"
#include "io/files/json.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

namespace {

Row row(const std::string& name, DeviceKind device, double total_ms) {
  Row row;
  row.algorithm = row.title = name;
  row.device = device;
  row.floor = device == DeviceKind::cpu ? "host-bits" : "gpu-bytes";
  row.floor_ms = 0.5;
  row.images = 2;
  row.elements = 2048;
  row.cycles_a_ms = device == DeviceKind::cpu ? 3e6 : 1e8;
  row.measures = {
      {kPreallocated, {total_ms, total_ms * 0.9, total_ms * 1.1, total_ms * 0.8, 9, total_ms}, 1, 10},
      {"Scan", {1, 1, 1}, 4, 10}};
  return row;
}

Row wrong_row() {
  Row wrong;
  wrong.algorithm = wrong.title = "wrong";
  wrong.wrong = 2;
  wrong.problem = "a.png: wrong labels, not timed";
  return wrong;
}

ImageSetResult group(double density) {
  ImageSetResult group;
  group.dataset = "random";
  group.extent = Extent{64, 32, 1};
  group.density = density;
  group.granularity = 1;
  group.images = 2;
  group.elements = 2048;
  group.foreground = density;
  group.components = 12;
  group.rows = {row("bke", DeviceKind::cuda, 1 + density), row("runs", DeviceKind::cpu, 2 + density),
                wrong_row()};
  return group;
}

Results results_of(Test test) {
  Results results;
  results.test = test;
  results.groups = {group(0.1), group(0.5), group(0.9)};
  for (ImageSetResult& group : results.groups) group.axis = Axis::density;
  return results;
}

/// A name that looks like markup.
Results hostile() {
  Results results;
  results.groups = {group(0.5)};
  results.groups[0].extent.reset();
  results.groups[0].dataset = "a \"b\", </script> <c> & 'd'";
  return results;
}

const Head kHead{"1.2.3", "abc", "gpuccl bench --algo <all>", {{"CPU", "a & b"}}};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::vector<std::string> table_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns the words of a line with one blank between them.
std::string words_of(const std::string& line) {
  std::istringstream stream(line);
  std::string words;
  for (std::string word; stream >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

}  // namespace

TEST_CASE("a table has a row for each measure, and names algorithms that were not timed") {
  const bench::Json json = as_json(kHead, results_of(Test::average));
  const std::string text = as_text(json["results"][0]);
  const std::vector<std::string> lines = table_lines(text);
  REQUIRE(lines.size() == 9);
  CHECK(lines[0] ==
        "random 64x32, density 10.0 %, granularity 1 (8-connectivity, 2 images of 0.00205 million elements, "
        "10.0 % foreground, 12 components)");
  CHECK(lines[1] == "  floor gpu-bytes: 0.500 ms");
  CHECK(lines[2] == "  floor host-bits: 0.500 ms");
  CHECK(words_of(lines[3]) ==
        "algorithm device name launches median ms low ms high ms min ms max ms mean ms repetitions multiple "
        "of floor cycles per element elements per ns");
  // 1.1 ms of 10^8 cycles over 2048 elements.
  CHECK(words_of(lines[4]) ==
        "bke cuda preallocated 1.00 1.10 0.990 1.21 0.880 9.00 1.10 10.0 2.20 53711 0.00186");
  CHECK(words_of(lines[5]).starts_with("bke cuda Scan 4.00 1.00 "));
  CHECK(words_of(lines[8]) == "wrong cpu 2 wrong, not timed");
}

TEST_CASE("the fastest algorithm is the first of those that were timed on all sets") {
  const bench::Json json = as_json(kHead, results_of(Test::density));
  REQUIRE(json["fastest"].size() == 1);
  const bench::Json& fastest = json["fastest"][0];
  CHECK(fastest["algorithm"] == "bke");
  CHECK(fastest["text"] ==
        "fastest with 8-connectivity: bke, 1.69 times as fast as runs (geometric mean over 3 image sets)");
  CHECK(fastest["speedup"].get<double>() == Approx(std::cbrt(2.1 / 1.1 * 2.5 / 1.5 * 2.9 / 1.9)));
  CHECK(json["results"][0]["axis"] == "density");
}

TEST_CASE("one repetition gives no factor") {
  Results results = results_of(Test::average);
  for (ImageSetResult& group : results.groups) group.rows[0].measures[0].repetitions = 1;
  const bench::Json json = as_json(kHead, results);
  CHECK(json["fastest"].empty());
  const bench::Json& rows = json["results"][0]["algorithms"];
  CHECK_FALSE(rows[0]["measures"][0].contains("multiple_of_floor"));
  CHECK(rows[1]["measures"][0].contains("multiple_of_floor"));
}

TEST_CASE("the page knows the role of every phase of an algorithm") {
  const std::string page = app::bench_page("{}");
  for (const Algorithm& algorithm : algorithms())
    for (const Phases& phases : {algorithm.phases, algorithm.phases_3d})
      for (const Phase& phase : phases) {
        CAPTURE(algorithm.name, phase.name);
        CHECK(page.find('"' + phase.name + '"') != std::string::npos);
      }
}

TEST_CASE("base64 of bytes") {
  CHECK(app::base64("").empty());
  CHECK(app::base64("f") == "Zg==");
  CHECK(app::base64("fo") == "Zm8=");
  CHECK(app::base64("foobar") == "Zm9vYmFy");
  CHECK(app::base64(std::string("\xff\x00\xfe", 3)) == "/wD+");
}

TEST_CASE("the page embeds the results unchanged, and nothing from elsewhere") {
  const std::string json = io::json_text(as_json(kHead, hostile()), 2);
  const std::string page = app::bench_page(json);
  const std::string begin = "<script type=\"application/json\" id=\"results\">";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t first = at + begin.size();
  CHECK(nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first)) ==
        nlohmann::json::parse(json));
  CHECK(page.find("<c>") == std::string::npos);
  CHECK(page.find("<meta name=\"viewport\"") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(count(page, "src=") + count(page, "href=") == 0);
}
