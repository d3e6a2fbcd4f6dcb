// The experiments of `gpuccl bench` that count instead of timing, on the emulation of CUDA.

#include <nlohmann/json.hpp>

#include "app/bench/plan.hpp"
#include "app/bench/results.hpp"
#include "emulation.hpp"
#include "gpuccl/detail/staged.hpp"
#include "support/test.hpp"

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

const Head kHead{"1", "c", "gpuccl bench", {}};

/// Returns a figure of a measure or phase of an algorithm in the first image set.
double figure(const Json& json, const std::string& algorithm, const std::string& name,
              const std::string& key) {
  for (const Json& row : json["results"][0]["algorithms"])
    for (const Json& part : row.contains("phases") ? row["phases"] : row["measures"])
      if (row["algorithm"] == algorithm && part["name"] == name) return part.at(key).get<double>();
  FAIL(algorithm << " has no " << name);
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
  REQUIRE(results.groups.size() == 4);
  const auto iterations = [&](std::size_t density, std::size_t algorithm) {
    return results.groups[density].rows[algorithm].measures.at(0).launches;
  };
  for (std::size_t algorithm = 0; algorithm < 4; ++algorithm)
    CHECK(iterations(0, algorithm) == (algorithm == 3 ? 2 : 1));
  for (std::size_t density = 1; density < 4; ++density)
    for (std::size_t algorithm = 0; algorithm < 2; ++algorithm) {
      CHECK(iterations(density, algorithm) >= 2);
      CHECK(iterations(density, algorithm) <= 12);
    }
  CHECK(iterations(2, 2) > iterations(2, 0));  // np takes the most
  CHECK(iterations(3, 0) == 2);
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
  const Json json = as_json(kHead, results);
  CHECK(json["results"][0]["algorithms"][0]["measures"][0]["name"] == "label image");
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
    CHECK(as_json(kHead, results)["results"][0]["algorithms"][0]["algorithm"] == "c2fl 16x16");
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
  const Json json = as_json(kHead, results);
  const auto at = [&](const std::string& algorithm, const std::string& phase, const std::string& key) {
    return figure(json, algorithm, phase, key);
  };
  const double blocks = 35 * 25, pixels = 70 * 50;
  CHECK(at("buf", "Initialization", "writes") == blocks);
  CHECK(at("buf", "Initialization", "reads") == 0);
  CHECK(at("buf", "Initialization", "least_bytes") == 4 * blocks);
  CHECK(at("buf", "Initialization", "multiple_of_floor_bytes") == 0.2);  // a label for each four pixels
  CHECK(at("ole", "Init", "least_bytes") == 5 * pixels);
  CHECK(at("ole", "Init", "multiple_of_floor_bytes") == 1);
  CHECK(at("buf", "Compression", "reads") > blocks);
  CHECK(at("buf", "Compression", "atomics") == 0);
  CHECK(at("buf", "Merge", "atomics") > 0);
  CHECK(at("buf-ic", "Compression", "writes") >= at("buf", "Compression", "writes"));
  CHECK(at("buf", "FinalLabeling", "image_reads") == 2 * blocks);
  CHECK(at("c2fl", "LocalLabeling", "writes") == pixels);
  CHECK(at("c2fl", "LocalLabeling", "tile_atomics") < at("nc2fl", "LocalLabeling", "tile_atomics"));
  CHECK(at("ole", "Init", "image_reads") == pixels);
  CHECK(at("ole", "Scan", "launches") > 2);
  CHECK(json["results"][0]["algorithms"][0]["phases"].size() == 4);
}
