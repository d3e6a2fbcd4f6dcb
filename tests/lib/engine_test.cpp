#include "gpuccl/engine.hpp"

#include <vector>

#include "gpuccl/devices.hpp"
#include "support/catch.hpp"
#include "support/failure_of.hpp"
#include "support/images.hpp"
#include "support/reference.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

struct Outcome {
  Labeled labeled;
  EngineReport report;
  std::vector<std::string> warnings;
};

const BitVolume& sample() {
  static const BitVolume image = random_image({90, 70}, 0.5, 1, 2);
  return image;
}

Outcome label(const EngineOptions& options, Connectivity connectivity = Connectivity::c8, int images = 1) {
  Outcome outcome;
  Engine engine(options, [&](const std::string& line) { outcome.warnings.push_back(line); });
  for (int i = 0; i < images; ++i)
    outcome.labeled = engine.label(sample().view(), connectivity, &outcome.report);
  return outcome;
}

std::string reason_of(const EngineOptions& options, Connectivity connectivity = Connectivity::c8) {
  try {
    label(options, connectivity);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool usable_gpu() {
  static const bool usable = !cuda_status().devices.empty();
  return usable;
}

}  // namespace

TEST_CASE("by default a small image is labeled by runs on the CPU, without a warning") {
  for (const Connectivity connectivity : kConnectivities) {
    const Outcome outcome = label({}, connectivity);
    REQUIRE(outcome.warnings.empty());
    REQUIRE(outcome.report.algorithm == "runs");
    REQUIRE(outcome.report.device_kind == DeviceKind::cpu);
    REQUIRE(outcome.report.device_name == cpu_name());
    REQUIRE(outcome.report.connectivity == connectivity);
    expect_same(outcome.labeled, flood_fill(sample().view(), connectivity));
  }
}

TEST_CASE("a CPU algorithm is used by name") {
  const Outcome outcome = label({.algorithm = "flood-fill"});
  REQUIRE(outcome.report.algorithm == "flood-fill");
  REQUIRE(outcome.warnings.empty());
}

TEST_CASE("a GPU algorithm without a usable GPU is done by the CPU, with one warning for all images") {
  if (usable_gpu()) return;
  const Outcome outcome = label({.algorithm = "bke"}, Connectivity::c8, 3);
  REQUIRE(outcome.warnings.size() == 1);
  REQUIRE(outcome.warnings[0].find('\n') == std::string::npos);
  REQUIRE(outcome.report.algorithm == "runs");
  REQUIRE(outcome.report.device_kind == DeviceKind::cpu);
  expect_same(outcome.labeled, flood_fill(sample().view(), Connectivity::c8));
}

TEST_CASE("a GPU asked for and not there is an error") {
  if (usable_gpu()) return;
  REQUIRE(failure_of([] { label({.algorithm = "bke", .device = DeviceChoice::cuda}); }) ==
          Failure::unavailable);
  REQUIRE(failure_of([] { label({.device = DeviceChoice::cuda}); }) == Failure::unavailable);
}

TEST_CASE("contradictory or unknown names are refused, and the reason says what would be right") {
  REQUIRE(failure_of([] { label({.algorithm = "magic"}); }) == Failure::usage);
  REQUIRE(reason_of({.algorithm = "magic"}).find("auto, runs, flood-fill") != std::string::npos);
  REQUIRE(failure_of([] { label({.algorithm = "flood-fill", .device = DeviceChoice::cuda}); }) ==
          Failure::usage);
  REQUIRE(failure_of([] { label({.algorithm = "bke", .device = DeviceChoice::cpu}); }) == Failure::usage);
}

TEST_CASE("a pair of algorithm and connectivity that does not exist is refused with or without a GPU") {
  REQUIRE(failure_of([] { label({.algorithm = "bke"}, Connectivity::c4); }) == Failure::usage);
  const std::string reason = reason_of({.algorithm = "bke"}, Connectivity::c4);
  REQUIRE(reason.find("8, 26") != std::string::npos);
  REQUIRE_THROWS_AS(check_options({.algorithm = "bke"}, Connectivity::c6), Error);
  REQUIRE_NOTHROW(check_options({.algorithm = "bke"}, Connectivity::c26));
}

TEST_CASE("a report says where the time went") {
  const Outcome outcome = label({});
  REQUIRE(outcome.report.label_ms > 0);
  REQUIRE(outcome.labeled.statistics_ms > 0);
  REQUIRE(outcome.labeled.phases.size() == 3);
  REQUIRE(outcome.labeled.phases[0].phase == "Runs");
}
