// The experiments of `gpuccl bench` that count instead of timing, on the emulation of CUDA.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/plan.hpp"
#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "emulation.hpp"
#include "support/catch.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

namespace {

Results measured(Request request, const std::vector<Algorithm>& table) {
  request.granularities = {1};
  request.images = 2;
  request.device = DeviceChoice::cuda;
  Plan plan;
  plan.test = request.test;
  plan.image_sets = random_image_sets(request);
  plan.timing = request.timing;
  plan.algorithms = choose_algorithms(request, table, [] { return std::string(); }).algorithms;
  return measure(plan,
                 {[](double, const std::string&) {}, [](const std::string& line) { FAIL_CHECK(line); }});
}

double cell(const Table& table, const std::string& algorithm, const std::string& phase,
            const std::string& column) {
  const auto at = std::find(table.header.begin(), table.header.end(), column);
  REQUIRE(at != table.header.end());
  for (const auto& row : table.rows)
    if (row[0] == algorithm && row[1] == phase)
      return std::stod(row[static_cast<std::size_t>(at - table.header.begin())]);
  FAIL(algorithm << " has no " << phase);
  return 0;
}

}  // namespace

TEST_CASE("iterations by density are those of label equivalence") {
  emulation::configure({.seed = 21});
  Request request;
  request.test = Test::iterations;
  request.algorithms = {"ole", "be", "np", "smccl"};
  request.sizes = {{140, 70, 1}};
  request.densities = {0, 0.1, 0.5, 1};
  const Results results = measured(request, algorithms());
  const std::vector<Table> all = tables(results);
  REQUIRE(all.size() == 1);
  CHECK(all[0].header == std::vector<std::string>{"density (%)", "ole", "be", "np", "smccl"});
  CHECK(all[0].rows[0] == std::vector<std::string>{"0.00", "1.00", "1.00", "1.00", "2.00"});
  for (std::size_t density = 1; density < 4; ++density)
    for (std::size_t algorithm = 1; algorithm < 3; ++algorithm) {
      CHECK(std::stod(all[0].rows[density][algorithm]) >= 2);
      CHECK(std::stod(all[0].rows[density][algorithm]) <= 12);
    }
  CHECK(std::stod(all[0].rows[2][3]) > std::stod(all[0].rows[2][1]));  // np takes the most
  CHECK(all[0].rows[3][1] == "2.00");
}

TEST_CASE("from host to host, in every form of report") {
  emulation::configure({.seed = 23});
  Request request;
  request.test = Test::host;
  request.algorithms = {"buf", "bke", "runs"};
  request.sizes = {{70, 50, 1}};
  request.densities = {0.5};
  request.timing.warm_up = 0;
  request.timing.repetitions = 1;
  const Results results = measured(request, algorithms());
  REQUIRE(results.groups.size() == 1);
  REQUIRE(results.groups[0].rows.size() == 3);
  for (const Row& row : results.groups[0].rows) {
    CAPTURE(row.title);
    CHECK(row.images == 2);
    for (const char* measure : {kHostImage, kHostRuns, kUpload, kDownload})
      CHECK(find_measure(row.measures, measure) != nullptr);
  }
  const Head head{"1", "c", "gpuccl bench --test host", {}};
  const auto json = nlohmann::json::parse(as_json(head, results));
  CHECK(json["results"][0]["algorithms"][0]["measures"][0]["name"] == "label image");
}

TEST_CASE("work of thread blocks by size and density, in every form of report") {
  emulation::configure({.seed = 24});
  Request request;
  request.test = Test::work;
  request.algorithms = {"nc2fl", "c2fl", "dlp"};
  request.connectivity = Connectivity::c8;
  request.sizes = {{64, 64, 1}};
  request.densities = {0.3, 1};
  const Results results = measured(request, instrumented_algorithms());
  REQUIRE(results.groups.size() == 2);
  for (const Row& row : results.groups[0].rows) {
    CAPTURE(row.title);
    const PhaseTime* phase = working_phase(row);
    REQUIRE(phase != nullptr);
    CHECK(phase->work.blocks == 2 * 8);
    CHECK(phase->work.longest.most <= phase->work.steps.most);
    CHECK(phase->work.longest.sum > 0);
  }
  // A full tile: no atomic operation after coarse labeling, 511 and more without.
  CHECK(working_phase(results.groups[1].rows[1])->work.atomics.sum == 0);
  CHECK(working_phase(results.groups[1].rows[0])->work.atomics.sum >= 2 * 8 * 511);
  CHECK(*atomics_a_block(results.groups[1].rows[0]) >= 511);

  const std::vector<Table> all = tables(results);
  REQUIRE(all.size() == 2 + 2);
  CHECK(all[0].header == std::vector<std::string>{"algorithm", "phase", "launches", "blocks", "steps",
                                                  "steps, most", "longest walk", "longest walk, most",
                                                  "atomics", "atomics, most"});
  CHECK(cell(all[0], "c2fl", "LocalLabeling", "blocks") == 8);
  const Head head{"1", "c", "gpuccl bench --test work", {}};
  const auto json = nlohmann::json::parse(as_json(head, results));
  CHECK(json["results"][1]["algorithms"][1]["phases"][0]["atomics_most"] == 0);
}

TEST_CASE("block configurations label as the usual ones do, and are compared by their names") {
  emulation::configure({.seed = 25});
  Request request;
  request.test = Test::blocks;
  request.algorithms = {"c2fl", "dlp"};
  request.sizes = {{150, 70, 1}};
  request.densities = {0.5};
  request.timing.warm_up = 0;
  request.timing.repetitions = 1;
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8}) {
    request.connectivity = connectivity;
    if (connectivity == Connectivity::c4) request.algorithms = {"c2fl"};
    const Results results = measured(request, block_configurations());
    REQUIRE(results.groups.size() == 1);
    CHECK_FALSE(results.wrong);
    CHECK(results.groups[0].rows.size() >= 6);
    for (const Row& row : results.groups[0].rows) {
      CAPTURE(row.title);
      CHECK(row.images == 2);
    }
    CHECK(results.groups[0].rows[0].title == "c2fl 16x16");
    CHECK(joint_tables(results)[0].header[1] == "c2fl 16x16");
    request.algorithms = {"c2fl", "dlp"};
  }
}

TEST_CASE("memory accesses by phase, in every form of report") {
  emulation::configure({.seed = 22});
  Request request;
  request.test = Test::memory;
  request.algorithms = {"buf", "buf-ic", "c2fl", "nc2fl", "ole"};
  request.sizes = {{70, 50, 1}};
  request.densities = {0.5};
  const Results results = measured(request, instrumented_algorithms());
  const std::vector<Table> all = tables(results);
  REQUIRE(all.size() == 1);
  const auto at = [&](const std::string& algorithm, const std::string& phase, const std::string& column) {
    return cell(all[0], algorithm, phase, column);
  };
  const double blocks = 35 * 25, pixels = 70 * 50;
  CHECK(at("buf", "Initialization", "writes") == blocks);
  CHECK(at("buf", "Initialization", "reads") == 0);
  CHECK(at("buf", "Initialization", "bytes") == 4 * blocks);
  CHECK(at("buf", "Initialization", "x floor") == 0.2);  // a label for each four pixels
  CHECK(at("ole", "Init", "bytes") == 5 * pixels);
  CHECK(at("ole", "Init", "x floor") == 1);
  CHECK(at("buf", "Compression", "reads") > blocks);
  CHECK(at("buf", "Compression", "atomics") == 0);
  CHECK(at("buf", "Merge", "atomics") > 0);
  CHECK(at("buf-ic", "Compression", "writes") >= at("buf", "Compression", "writes"));
  CHECK(at("buf", "FinalLabeling", "image reads") == 2 * blocks);
  CHECK(at("c2fl", "LocalLabeling", "writes") == pixels);
  CHECK(at("c2fl", "LocalLabeling", "tile atomics") < at("nc2fl", "LocalLabeling", "tile atomics"));
  CHECK(at("ole", "Init", "image reads") == pixels);
  CHECK(at("ole", "Scan", "launches") > 2);

  const Head head{"1", "c", "gpuccl bench --test memory", {}};
  const auto json = nlohmann::json::parse(as_json(head, results));
  const auto& phases = json["results"][0]["algorithms"][0]["phases"];
  CHECK(phases.size() == 4);
  CHECK(phases[0]["name"] == "Initialization");
  CHECK(phases[0]["writes"] == blocks);
  CHECK(phases[0]["least_bytes"] == 4 * blocks);
  CHECK(phases[0]["multiple_of_floor_bytes"] == 4 * blocks / (5 * pixels));
}
