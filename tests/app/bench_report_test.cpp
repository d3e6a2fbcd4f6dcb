#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/bench/chart.hpp"
#include "app/bench/csv.hpp"
#include "app/bench/gnuplot.hpp"
#include "app/bench/gnuplot_script.hpp"
#include "app/bench/html.hpp"
#include "app/bench/json.hpp"
#include "app/bench/measurement_notes.hpp"
#include "app/bench/result_tables.hpp"
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
  row.measures = {{kPreallocated, {total_ms, total_ms * 0.9, total_ms * 1.1}, 1}, {"Scan", {1, 1, 1}, 4}};
  return row;
}

Row wrong_row() {
  Row wrong;
  wrong.algorithm = wrong.title = "wrong";
  wrong.wrong = 2;
  wrong.problem = "a.png: wrong labels, not timed";
  return wrong;
}

Group group(double density) {
  Group group;
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
      Group next = group(0.5);
      next.granularity = test == Test::granularity ? 1 + i : 1;
      next.extent->width <<= i;
      next.elements *= 1 << i;
      if (test == Test::granularity) next.extent->width = 64;
      results.groups.push_back(next);
    }
  return results;
}

/// Names that look like markup, CSV and strings of gnuplot.
Results hostile() {
  Results results;
  results.groups = {group(0.5)};
  results.groups[0].extent.reset();
  results.groups[0].dataset = "a \"b\", <c> & 'd' `e` $f\\";
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
  REQUIRE(all.size() == 2);
  CHECK(all[0].header == std::vector<std::string>{"density (%)", "bke", "runs", "wrong", "floor gpu-bytes",
                                                  "floor host-bits"});
  CHECK(all[0].rows[1] == std::vector<std::string>{"50.0", "1.50", "2.50", "-", "0.500", "0.500"});
  CHECK(all[1].rows[1] == std::vector<std::string>{"50.0", "3.00", "5.00", "-"});
}

TEST_CASE("averages are a table an image set, steps name each step, a wrong algorithm is named") {
  const std::vector<Table> averages = tables(results_of(Test::average));
  REQUIRE(averages.size() == 3);
  const std::string text = as_text(averages[0]);
  CHECK(text.find("2 wrong, not timed") != std::string::npos);
  CHECK(text.find("0.500 gpu-bytes") != std::string::npos);
  CHECK(averages[0].header.back() == "note");
  const std::string steps = as_text(tables(results_of(Test::steps))[0]);
  CHECK(steps.find("Scan") != std::string::npos);
  CHECK(steps.find("4.00") != std::string::npos);
}

TEST_CASE("iterations are a table by density, with what was counted") {
  Results results = results_of(Test::iterations);
  for (Group& group : results.groups)
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
  CHECK(json["machine"]["CPU"] == "a & b");
  CHECK(json["method"].size() > 3);
  REQUIRE(json["results"].size() == 3);
  const auto& first = json["results"][0];
  CHECK(first["size"] == nlohmann::json::array({64, 32, 1}));
  CHECK(first["algorithms"][0]["measures"][0]["multiple_of_floor"] == Approx(2.2));
  CHECK(first["algorithms"][2]["wrong"] == 2);
  CHECK(first["algorithms"][2]["measures"].empty());
}

TEST_CASE("every line of the CSV has the same number of fields") {
  std::istringstream lines(as_csv(results_of(Test::density)));
  std::string line;
  std::getline(lines, line);
  const std::size_t commas = count(line, ",");
  int rows = 0;
  while (std::getline(lines, line)) {
    CAPTURE(line);
    CHECK(count(line, ",") == commas);
    ++rows;
  }
  CHECK(rows == 15);
  CHECK(as_csv(hostile()).find("\"a \"\"b\"\", <c> & 'd' `e` $f\\\"") != std::string::npos);
}

/// Only `bench --report` needs gnuplot, so it may be missing.
bool has_gnuplot() {
  try {
    require_gnuplot();
    return true;
  } catch (const Error& error) {
    std::cerr << "skipped: " << error.what() << '\n';
    return false;
  }
}

TEST_CASE("every kind of chart is drawn, whatever the names are") {
  if (!has_gnuplot()) return;
  std::vector<Chart> all = charts(hostile());
  for (const Test test : {Test::average, Test::steps, Test::density, Test::size, Test::granularity,
                          Test::iterations, Test::host})
    for (Chart& chart : charts(results_of(test))) all.push_back(std::move(chart));
  REQUIRE(all.size() >= 8);
  int number = 0;
  for (const Chart& chart : all) {
    const std::string svg = gnuplot(gnuplot_script(chart, ++number));
    CAPTURE(chart.data.title, svg.size());
    CHECK(svg.find("<svg") != std::string::npos);
    CHECK(svg.find("</svg>") != std::string::npos);
    for (const Series& series : chart.data.series)
      if (series.title.find_first_of("<&") == std::string::npos)
        CHECK(svg.find(series.title) != std::string::npos);
  }
}

TEST_CASE("what gnuplot cannot draw is an error") {
  if (!has_gnuplot()) return;
  CHECK_THROWS_AS(gnuplot("plot nothing at all\n"), Error);
}

TEST_CASE("the page holds head, method, charts and tables, and nothing from elsewhere") {
  const std::string page = as_html(kHead, hostile(), {"<?xml version=\"1.0\"?>\n<svg id=\"one\"></svg>\n"});
  CHECK(page.find("gpuccl bench --algo &lt;all&gt;") != std::string::npos);
  CHECK(page.find("a &amp; b") != std::string::npos);
  CHECK(page.find("&lt;c&gt;") != std::string::npos);
  CHECK(page.find("<c>") == std::string::npos);
  CHECK(page.find("<svg id=\"one\">") != std::string::npos);
  CHECK(page.find("<?xml") == std::string::npos);
  CHECK(page.find("images not timed; a.png: wrong labels") != std::string::npos);
  CHECK(count(page, "src=") + count(page, "href=") == 0);
}
