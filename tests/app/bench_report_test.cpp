#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "app/view/pages.hpp"
#include "gpuccl/algorithms.hpp"
#include "support/catch.hpp"

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
  row.measures = {{kPreallocated, {total_ms, total_ms * 0.9, total_ms * 1.1, total_ms * 0.8, 9, total_ms}, 1},
                  {"Scan", {1, 1, 1}, 4}};
  return row;
}

Row wrong_row() {
  Row wrong;
  wrong.algorithm = wrong.title = "wrong";
  wrong.wrong = 2;
  wrong.problem = "a.png: wrong labels, not timed";
  return wrong;
}

Axis axis_of(Test test) {
  switch (test) {
    case Test::density:
    case Test::iterations:
      return Axis::density;
    case Test::granularity:
      return Axis::granularity;
    case Test::size:
      return Axis::size;
    default:
      return Axis::none;
  }
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
  if (test == Test::granularity || test == Test::size)
    for (int i = 1; i < 3; ++i) {
      ImageSetResult next = group(0.5);
      next.granularity = test == Test::granularity ? 1 + i : 1;
      next.extent->width <<= i;
      next.elements *= 1 << i;
      for (Row& row : next.rows) row.elements = next.elements;
      if (test == Test::granularity) next.extent->width = 64;
      results.groups.push_back(next);
    }
  for (ImageSetResult& group : results.groups) group.axis = axis_of(test);
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

}  // namespace

TEST_CASE("a sweep becomes a table of times and one of multiples, with the floors among the times") {
  const std::vector<Table> all = tables(results_of(Test::density));
  REQUIRE(all.size() == 3);
  CHECK(all[0].header == std::vector<std::string>{"density (%)", "bke", "runs", "wrong", "floor gpu-bytes",
                                                  "floor host-bits"});
  CHECK(all[0].rows[1] == std::vector<std::string>{"50.0", "1.50", "2.50", "-", "0.500", "0.500"});
  CHECK(all[1].rows[1] == std::vector<std::string>{"50.0", "3.00", "5.00", "-"});
}

TEST_CASE("sizes have throughputs and where these reach half of their peak") {
  Results results = results_of(Test::size);
  results.groups.erase(results.groups.begin(), results.groups.begin() + 1);
  results.groups.erase(results.groups.begin() + 1);
  const std::vector<Table> all = tables(results);
  REQUIRE(all.size() == 3);
  CHECK(all[2].header == std::vector<std::string>{"pixels", "bke", "runs", "wrong"});
  REQUIRE(all[2].rows.size() == 4);
  // 2048 elements at 1.37 and 8192 at 5.46: half of the peak at 4096.
  CHECK(all[2].rows[3] == std::vector<std::string>{"half of the peak", "64x64", "64x64", "-"});
  SeriesSet set{"", "pixels", {"8x8x8", "16x16x16"}, {512, 4096}, {}, true, true};
  CHECK(half_of_peak(set, {"", {1.0, 1.5}, false}) == "8x8x8");
  CHECK(half_of_peak(set, {"", {1.0, 3.0}, false}) == "11x11x11");
  CHECK(half_of_peak(set, {"", {std::nullopt, std::nullopt}, false}).empty());
}

TEST_CASE("averages are a table an image set, steps name each step, a wrong algorithm is named") {
  const std::vector<Table> averages = tables(results_of(Test::average));
  REQUIRE(averages.size() == 5);
  CHECK(averages[3].title == "random images, 8-connectivity: total ms");
  CHECK(averages[4].title == "random images, 8-connectivity: total ms, minimum of the repetitions");
  CHECK(averages[4].rows[0] ==
        std::vector<std::string>{"64x32, 10.0 %, granularity 1", "0.880", "1.68", "-"});
  const std::string text = as_text(averages[0]);
  CHECK(text.find("2 wrong, not timed") != std::string::npos);
  CHECK(text.find("0.500 gpu-bytes") != std::string::npos);
  CHECK(averages[0].header.back() == "note");
  // 1.1 ms of 10^8 cycles over 2048 pixels; 2.1 ms of 3 * 10^6.
  CHECK(text.find("  53711") != std::string::npos);
  CHECK(text.find("  3076") != std::string::npos);
  const std::string steps = as_text(tables(results_of(Test::steps))[0]);
  CHECK(steps.find("Scan") != std::string::npos);
  CHECK(steps.find("4.00") != std::string::npos);
}

TEST_CASE("iterations are a table by density, with counts") {
  Results results = results_of(Test::iterations);
  for (ImageSetResult& group : results.groups)
    for (Row& row : group.rows)
      if (!row.measures.empty()) row.measures.erase(row.measures.begin());
  const std::vector<std::string> how = measurement_notes(results);
  CHECK(std::find(how.begin(), how.end(),
                  "an iteration is a launch of Scan (bke, runs); the last one, which finds nothing to "
                  "change, counts too") != how.end());
  const std::vector<Table> all = tables(results);
  REQUIRE(all.size() == 1);
  CHECK(all[0].rows[0] == std::vector<std::string>{"10.0", "4.00", "4.00", "-"});
}

TEST_CASE("the JSON report has head and results") {
  const auto json = nlohmann::json::parse(as_json(kHead, results_of(Test::density)));
  CHECK(json["version"] == "1.2.3");
  CHECK(json["complete"] == true);
  CHECK(json["machine"]["CPU"] == "a & b");
  CHECK(json["method"].size() > 3);
  REQUIRE(json["results"].size() == 3);
  const auto& first = json["results"][0];
  CHECK(first["size"] == nlohmann::json::array({64, 32, 1}));
  CHECK(first["algorithms"][0]["measures"][0]["multiple_of_floor"] == Approx(2.2));
  CHECK(first["algorithms"][0]["measures"][0]["min_ms"] == Approx(0.88));
  CHECK(first["algorithms"][0]["measures"][0]["max_ms"] == 9);
  CHECK(first["algorithms"][2]["wrong"] == 2);
  CHECK(first["algorithms"][2]["measures"].empty());
}

TEST_CASE("incomplete results are marked") {
  Results results = results_of(Test::density);
  results.incomplete = "interrupted after 1 of <2> images";
  const auto json = nlohmann::json::parse(as_json(kHead, results));
  CHECK(json["complete"] == false);
  CHECK(json["incomplete"] == results.incomplete);
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
  const std::string json = as_json(kHead, hostile());
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
