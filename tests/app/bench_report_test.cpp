#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/bench/chart.hpp"
#include "app/bench/claims.hpp"
#include "app/bench/csv.hpp"
#include "app/bench/html.hpp"
#include "app/bench/json.hpp"
#include "app/bench/markup.hpp"
#include "app/bench/measurement_notes.hpp"
#include "app/bench/phase_role.hpp"
#include "app/bench/result_tables.hpp"
#include "app/bench/series.hpp"
#include "app/bench/svg_chart.hpp"
#include "app/bench/work_map.hpp"
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
      for (Row& row : next.rows) row.elements = next.elements;
      if (test == Test::granularity) next.extent->width = 64;
      results.groups.push_back(next);
    }
  for (Group& group : results.groups) group.axis = axis_of(test);
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

TEST_CASE("every kind of chart is drawn, whatever the names are, and says what it shows") {
  std::vector<Chart> all = charts(hostile());
  for (const Test test : {Test::average, Test::steps, Test::density, Test::size, Test::granularity,
                          Test::iterations, Test::host})
    for (Chart& chart : charts(results_of(test))) all.push_back(std::move(chart));
  REQUIRE(all.size() >= 8);
  for (const Chart& chart : all) {
    const std::string svg = as_svg(chart);
    CAPTURE(chart.data.title, svg);
    CHECK(svg.starts_with("<svg xmlns="));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find(">-0<") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.find("<c>") == std::string::npos);
    CHECK_FALSE(chart.note.empty());
    CHECK(svg.find(chart.note.substr(0, 20)) != std::string::npos);
    for (const Series& series : chart.data.series)
      if (series.title.find_first_of("<&") == std::string::npos)
        CHECK(svg.find(series.title) != std::string::npos);
  }
}

TEST_CASE("a chart says which algorithm is the lowest") {
  CHECK(charts(results_of(Test::density))[0].note ==
        "Image to provisional labels; lower is better. Lowest everywhere: bke.");
}

TEST_CASE("no two curves look the same, and bars too long for a linear axis are cut") {
  Chart chart{ChartKind::curves, false, false, "ms", "note", {"title", "x", {"1", "2"}, {1, 2}, {}}};
  for (int i = 0; i < 30; ++i)
    chart.data.series.push_back({"algorithm " + std::to_string(i), {{1.0 + i}, {2.0 + i}}, false});
  const std::string svg = as_svg(chart);
  std::set<std::string> looks;
  std::size_t line = svg.find("\"line "), mark = svg.find("\"hollow ");
  for (int i = 0; i < 30; ++i) {
    REQUIRE(line != std::string::npos);
    const std::size_t begin = svg.rfind("d=\"", mark);
    const std::string shape = svg.substr(svg.find('m', begin), 8);
    looks.insert(svg.substr(line, svg.find('"', line + 1) - line) + shape);
    line = svg.find("\"line ", line + 1);
    mark = svg.find("\"hollow ", mark + 1);
  }
  CHECK(looks.size() == 30);

  chart.kind = ChartKind::bars;
  CHECK(count(as_svg(chart), "class=\"cut\"") == 0);
  chart.data.series[3].values[0] = 21000;
  CHECK(count(as_svg(chart), "class=\"cut\"") == 1);
  CHECK(as_svg(chart).find(">21000</text>") != std::string::npos);
}

TEST_CASE("a phase has the color of its role in every algorithm, and statistics lie behind the others") {
  Results results = results_of(Test::steps);
  results.groups.resize(1);
  std::vector<Row>& rows = results.groups[0].rows;
  rows[0].measures = {{kUpload, {1, 1, 1}}, {"Init", {2, 2, 2}}, {kStatistics, {3, 3, 3}}};
  rows[1].measures = {{kStatistics, {3, 3, 3}}, {"LocalMerge", {4, 4, 4}}, {"Merge", {5, 5, 5}}};
  const std::string svg = as_svg(charts(results)[0]);
  const auto class_before = [&](const std::string& words) {
    const std::size_t at = svg.find("<title>" + words);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = svg.rfind("class=\"", at) + 7;
    return svg.substr(begin, svg.find('"', begin) - begin);
  };
  CHECK(class_before("statistics: 3.00 ms") == "part r7");
  CHECK(class_before("Init: 2.00 ms") == "part r1");
  CHECK(svg.find("<title>LocalMerge: ") < svg.find("<title>Merge: "));
  CHECK(svg.find("<title>Merge: ") < svg.rfind("<title>statistics: 3.00"));
  CHECK(count(svg, "\"part r7\"") == 3);  // two bars and the legend
}

TEST_CASE("every phase of an algorithm has a role") {
  for (const Algorithm& algorithm : algorithms())
    for (const Phases& phases : {algorithm.phases, algorithm.phases_3d})
      for (const Phase& phase : phases) {
        CAPTURE(algorithm.name, phase.name);
        CHECK(role_of(phase.name) != PhaseRole::other);
      }
  CHECK(role_of("statistics") == PhaseRole::statistics);
  CHECK(role_of("no phase") == PhaseRole::other);
}

/// A sweep over 0 to 100 % in steps of 10, where algorithms take what `ms` says.
Results density_sweep(const std::map<std::string, std::function<double(double)>>& ms) {
  Results results;
  results.test = Test::density;
  for (int tenth = 0; tenth <= 10; ++tenth) {
    Group one = group(tenth / 10.0);
    one.axis = Axis::density;
    one.rows.clear();
    for (const auto& [name, of_density] : ms)
      one.rows.push_back(row(name, DeviceKind::cuda, of_density(10 * tenth)));
    results.groups.push_back(one);
  }
  return results;
}

std::string verdict(const Results& results, const std::string& text) {
  for (const Claim& claim : claims(results))
    if (claim.text == text) return (claim.holds ? "true: " : "false: ") + claim.figures;
  return "none";
}

TEST_CASE(
    "claims of the papers are true or false by the figures, and none is made of what was not measured") {
  const auto hill = [](double top) {
    return [top](double density) { return 9 - std::abs(density - top) / 20; };
  };
  const Results results = density_sweep({{"ole", hill(40)},
                                         {"bke", hill(80)},
                                         {"uf", [](double density) { return 4 + density / 20; }},
                                         {"ke", [](double density) { return 4.4 + density / 40; }},
                                         {"lbuf", [](double density) { return 1.01 * (4 + density / 20); }}});
  CHECK(verdict(results, "OLE takes longest at about 40 %") == "true: ole: highest at 40.0 %, 9.00 ms");
  CHECK(verdict(results, "BKE takes longest at about 40 %") == "false: bke: highest at 80.0 %, 9.00 ms");
  CHECK(verdict(results, "KE is faster than UF from 80 % on") ==
        "true: ke takes 0.767 to 0.800 times as much as uf");
  CHECK(verdict(results, "KE is faster than LE and UF") ==
        "false: ke takes 0.767 to 1.10 times as much as uf");
  CHECK(verdict(results, "LBUF is faster than UF from 80 % on") ==
        "true: lbuf takes 1.01 times as much as uf");  // within noise
  CHECK(verdict(results, "BE takes longest at about 40 %") == "none");
  CHECK(verdict(results, "BKE is the fastest from 10 % on").starts_with("false: bke takes "));
  CHECK(claims(results_of(Test::average)).empty());

  const std::string page = as_html(kHead, results, {});
  CHECK(page.find("<h2>Claims of the papers</h2>") != std::string::npos);
  CHECK(page.find("FALSE") != std::string::npos);
  const auto json = nlohmann::json::parse(as_json(kHead, results));
  CHECK(json["claims"].size() == claims(results).size());
  CHECK(json["claims"][0]["holds"].is_boolean());
}

TEST_CASE("claims about granularity compare series of images") {
  Results results =
      density_sweep({{"dlp", [](double) { return 3; }}, {"bke", [](double x) { return 1 + x; }}});
  for (Group group :
       density_sweep({{"dlp", [](double) { return 2; }}, {"bke", [](double) { return 1; }}}).groups) {
    group.granularity = 16;
    results.groups.push_back(group);
  }
  CHECK(verdict(results, "DLP is 1.5 to 1.6 times as fast at granularity 16 as at 1") ==
        "true: 3.00 ms at 1, 2.00 ms at 16: 1.50 times");
  CHECK(verdict(results, "Curves get flatter as granularity grows (BKE)").starts_with("true: "));
}

TEST_CASE("what is not complete says so") {
  Results results = results_of(Test::density);
  CHECK(as_html(kHead, results, {}).find("Incomplete") == std::string::npos);
  results.incomplete = "interrupted after 1 of <2> images";
  CHECK(as_html(kHead, results, {}).find("Incomplete: interrupted after 1 of &lt;2&gt; images") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(as_json(kHead, results));
  CHECK(json["complete"] == false);
  CHECK(json["incomplete"] == results.incomplete);
}

TEST_CASE("what thread blocks did is a chart with a panel for each algorithm, without addresses elsewhere") {
  Results results;
  results.test = Test::work;
  CHECK(work_chart(results).empty());
  results.mapped_name = "a <b>";
  results.mapped_image = {2, 1, {255, 255, 255, 0, 0, 0}};
  for (const char* name : {"one", "two", "three", "four", "five"})  // more than a row has place for
    results.maps.push_back({name, 2, {BlockWork{}, BlockWork{}}});
  results.maps[1].blocks[1].longest = 7;
  results.maps[2].blocks[0].atomics = 12345;
  const std::string chart = work_chart(results);
  CHECK(chart.find("on a &lt;b&gt;: ") != std::string::npos);
  CHECK(count(chart, ">image<") == 2);
  CHECK(count(chart, ">five<") == 2);
  CHECK(chart.find(">7<") != std::string::npos);
  CHECK(chart.find(">12345<") != std::string::npos);
  CHECK(count(chart, "<image ") == 2 * (1 + 1 + 5));  // with scales
  CHECK(count(chart, "href=\"data:image/png;base64,") == count(chart, "href="));
  CHECK(as_html(kHead, results, {chart}).find(chart) != std::string::npos);
}

TEST_CASE("bytes become letters three by three") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string("\xff\x00\xfe", 3)) == "/wD+");
}

TEST_CASE("the page holds head, method, charts and tables, and nothing from elsewhere") {
  const std::string page = as_html(kHead, hostile(), {"<svg id=\"one\"></svg>\n"});
  CHECK(page.find("gpuccl bench --algo &lt;all&gt;") != std::string::npos);
  CHECK(page.find("a &amp; b") != std::string::npos);
  CHECK(page.find("&lt;c&gt;") != std::string::npos);
  CHECK(page.find("<c>") == std::string::npos);
  CHECK(page.find("<svg id=\"one\">") != std::string::npos);
  CHECK(page.find("<meta name=\"viewport\"") != std::string::npos);
  CHECK(page.find("images not timed; a.png: wrong labels") != std::string::npos);
  CHECK(count(page, "src=") + count(page, "href=") == 0);
}
