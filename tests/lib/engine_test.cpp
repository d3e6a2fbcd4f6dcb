#include "gpuccl/engine.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <tbb/task_arena.h>

#include <cerrno>

#include "engine/algorithms.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

struct Outcome {
  Labeling labeled;
  EngineReport report;
  std::vector<std::string> warnings;
};

const BitVolume& sample() {
  static const BitVolume image = random_image({90, 70}, 0.5, 1, 2);
  return image;
}

Outcome label_by_engine(const EngineOptions& options, Connectivity connectivity = Connectivity::c8,
                        int images = 1) {
  Outcome outcome;
  Engine engine(options, [&](const std::string& line) { outcome.warnings.push_back(line); });
  for (int i = 0; i < images; ++i)
    outcome.labeled = engine.label(sample().view(), connectivity, &outcome.report);
  return outcome;
}

std::string reason_of(const EngineOptions& options, Connectivity connectivity = Connectivity::c8) {
  try {
    label_by_engine(options, connectivity);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool usable_gpu() {
  static const bool usable = !cuda_status().devices.empty();
  return usable;
}

bool no_more_threads = false;

}  // namespace

/// That of the system, as long as there may be more threads.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                              void* argument) noexcept {
  if (no_more_threads) return EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, work, argument);
}

TEST_CASE("by default a small image is labeled by runs on the CPU, without a warning") {
  for (const Connectivity connectivity : kConnectivities) {
    const Outcome outcome = label_by_engine({}, connectivity);
    REQUIRE(outcome.warnings.empty());
    REQUIRE(outcome.report.algorithm == "runs");
    REQUIRE(outcome.report.device_kind == DeviceKind::cpu);
    REQUIRE(outcome.report.device_name == cpu_name());
    REQUIRE(outcome.report.connectivity == connectivity);
    expect_same(outcome.labeled, flood_fill(sample().view(), connectivity));
  }
}

TEST_CASE("a CPU algorithm is used by name") {
  const Outcome outcome = label_by_engine({.algorithm = "flood-fill"});
  REQUIRE(outcome.report.algorithm == "flood-fill");
  REQUIRE(outcome.warnings.empty());
}

TEST_CASE("a GPU algorithm without a usable GPU is done by the CPU, with one warning for all images") {
  if (usable_gpu()) return;
  const Outcome outcome = label_by_engine({.algorithm = "bke"}, Connectivity::c8, 3);
  REQUIRE(outcome.warnings.size() == 1);
  REQUIRE(outcome.warnings[0].find('\n') == std::string::npos);
  REQUIRE(outcome.report.algorithm == "runs");
  REQUIRE(outcome.report.device_kind == DeviceKind::cpu);
  expect_same(outcome.labeled, flood_fill(sample().view(), Connectivity::c8));
}

TEST_CASE("a GPU asked for and not there is an error") {
  if (usable_gpu()) return;
  REQUIRE(error_code_of([] { label_by_engine({.algorithm = "bke", .device = DeviceChoice::cuda}); }) ==
          ErrorCode::unavailable);
  REQUIRE(error_code_of([] { label_by_engine({.device = DeviceChoice::cuda}); }) == ErrorCode::unavailable);
}

TEST_CASE("contradictory or unknown names are refused with a remedy") {
  REQUIRE(error_code_of([] { label_by_engine({.algorithm = "magic"}); }) == ErrorCode::usage);
  REQUIRE(reason_of({.algorithm = "magic"}).find("auto, runs, flood-fill") != std::string::npos);
  REQUIRE(error_code_of([] { label_by_engine({.algorithm = "flood-fill", .device = DeviceChoice::cuda}); }) ==
          ErrorCode::usage);
  REQUIRE(error_code_of([] { label_by_engine({.algorithm = "bke", .device = DeviceChoice::cpu}); }) ==
          ErrorCode::usage);
}

TEST_CASE("a pair of algorithm and connectivity that does not exist is refused with or without a GPU") {
  REQUIRE(error_code_of([] { label_by_engine({.algorithm = "bke"}, Connectivity::c4); }) == ErrorCode::usage);
  const std::string reason = reason_of({.algorithm = "bke"}, Connectivity::c4);
  REQUIRE(reason.find("8, 26") != std::string::npos);
  REQUIRE_THROWS_AS(check_options({.algorithm = "bke"}, Connectivity::c6), Error);
  REQUIRE_NOTHROW(check_options({.algorithm = "bke"}, Connectivity::c26));
}

TEST_CASE("a report says where the time went") {
  const Outcome outcome = label_by_engine({});
  REQUIRE(outcome.report.label_ms > 0);
  REQUIRE(outcome.labeled.statistics_ms > 0);
  REQUIRE(outcome.labeled.phases.size() == 3);
  REQUIRE(outcome.labeled.phases[0].phase == "Runs");
}

TEST_CASE("the start of CUDA is counted as long as it has not been paid") {
  const int threads = tbb::this_task_arena::max_concurrency();
  const auto device = [&](std::int64_t elements_a_thread, Gpu gpu) {
    return choose({}, Connectivity::c8, elements_a_thread * threads, gpu).device;
  };
  const std::int64_t some = std::int64_t{1} << 26, many = std::int64_t{1} << 30;
  CHECK(device(1 << 20, Gpu::started) == DeviceKind::cpu);
  CHECK(device(some, Gpu::untried) == DeviceKind::cpu);
  CHECK(device(some, Gpu::started) == DeviceKind::cuda);
  CHECK(device(many, Gpu::untried) == DeviceKind::cuda);
  CHECK(device(many, Gpu::unusable) == DeviceKind::cpu);
}

TEST_CASE("an engine that cannot start its GPU in a thread of its own starts it with the first image") {
  if (usable_gpu()) return;
  label_by_engine({});  // all other threads there are
  int warnings = 0;
  no_more_threads = true;
  Engine engine({.algorithm = "bke"}, [&](const std::string&) { ++warnings; });
  no_more_threads = false;
  expect_same(engine.label(sample().view(), Connectivity::c8), flood_fill(sample().view(), Connectivity::c8));
  CHECK(warnings == 1);
}
