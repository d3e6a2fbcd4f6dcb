// Labeling by values on a GPU, of images of the host and of the device, against flood fill over values; and
// on the emulation of a GPU, with random orders of threads. [small] is for compute-sanitizer, [one] for its
// slowest tool.

#include "support/values.hpp"

#include "cuda/value_case.hpp"
#include "cuda/variants.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/gpuccl.h"
#include "support/reference.hpp"
#include "support/test.hpp"

#if __has_include("emulation.hpp")
#include "cuda/cuda.hpp"
#include "emulation.hpp"
#define GPUCCL_EMULATED 1
#endif

using namespace gpuccl;
using tests::expect_same;
using tests::random_values;
using tests::Values;

namespace {

#ifdef GPUCCL_EMULATED
/// One round in kOneIn, each in another order.
const int kRounds = 24, kStep = tests::kOneIn;
void start_round(unsigned seed) {
  emulation::configure({.seed = seed, .switch_one_in = seed % 4 == 0 ? 20u : 0u});
}
#else
const int kRounds = 6, kStep = 1;
void start_round(unsigned) {}
#endif

Engine& engine() {
  // Not destroyed, because the emulated machine may be gone before it.
  static Engine& on_gpu =
      *new Engine({.device = DeviceChoice::cuda}, [](const std::string& line) { FAIL(line); });
  return on_gpu;
}

/// From the host, at every connectivity.
template <class T>
void expect_as_flood_fill(const Values<T>& values, double delta = 0) {
  for (const Connectivity connectivity : kConnectivities) {
    INFO(static_cast<int>(connectivity)
         << "-connectivity, " << tests::to_string(values.extent) << ", delta " << delta);
    EngineReport report;
    expect_same(engine().label_values(tests::image_of(values, delta), connectivity, &report),
                tests::flood_fill(values, connectivity, delta));
    REQUIRE(report.device_kind == DeviceKind::cuda);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("values of every type connect on CUDA as flood fill over values says", "[small]",
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, float, double) {
  std::mt19937 random(sizeof(TestType));
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int round = 0; round < kRounds; round += kStep) {
    start_round(static_cast<unsigned>(round) + 1);
    const Extent extent{1 + below(round % 4 == 0 ? 140 : 40), 1 + below(8), 1 + below(6)};
    Values<TestType> values = random_values<TestType>(random, extent, 2 + below(10), 1 + below(5));
    if (round % 3 == 0) repeat_rows(random, values);
    expect_as_flood_fill(values);
    constexpr double kDeltas[] = {1, 2, 1e19, 0.5};
    expect_as_flood_fill(values, kDeltas[round % 4]);
  }
}

TEST_CASE("values on CUDA connect across the ends of words and the edges of tiles", "[small]") {
  std::mt19937 random(1);
  unsigned seed = 0;
  // Tiles are 256 x 32 elements in 2D, 128 x 8 x 8 in 3D.
  for (const Extent extent :
       {Extent{31, 9, 9}, Extent{32, 9, 9}, Extent{33, 9, 9}, Extent{64, 17, 3}, Extent{65, 33, 1},
        Extent{129, 18, 10}, Extent{257, 65, 1}, Extent{258, 34, 2}, Extent{260, 17, 17}, Extent{530, 66, 1}})
    for (const int kinds : {2, 3, 5, 8}) {
      start_round(++seed);
      constexpr int kLengths[] = {1, 4, 30};
      Values<std::uint32_t> values = random_values<std::uint32_t>(random, extent, kinds, kLengths[seed % 3]);
      if (seed % 2 == 0) repeat_rows(random, values);
      expect_as_flood_fill(values);
      expect_as_flood_fill(random_values<std::int16_t>(random, extent, kinds, 3), 1);
    }
}

TEST_CASE("values on CUDA that are all the same, all different, or alternate", "[small]") {
  start_round(1);
  for (const Extent extent : {Extent{300, 70, 1}, Extent{130, 17, 17}}) {
    Values<std::uint32_t> values(extent);
    std::fill(values.elements.begin(), values.elements.end(), 7);
    expect_as_flood_fill(values);
    std::iota(values.elements.begin(), values.elements.end(), 1);
    expect_as_flood_fill(values);
    expect_as_flood_fill(values, 1);
    // Corners that meet across, in 2D and in 3D.
    for (std::size_t i = 0; i < values.elements.size(); ++i) {
      const std::size_t width = static_cast<std::size_t>(extent.width);
      const std::size_t rows = width * static_cast<std::size_t>(extent.height);
      values.elements[i] = static_cast<std::uint32_t>(1 + (i % width + i / width % 70 + i / rows) % 2);
    }
    expect_as_flood_fill(values);
  }
}

TEST_CASE("images of values without elements, and of one, on CUDA", "[small]") {
  expect_as_flood_fill(Values<std::uint16_t>({0, 3, 2}));
  Values<std::uint16_t> one({1, 1, 1});
  expect_as_flood_fill(one);
  one.elements[0] = 9;
  expect_as_flood_fill(one);
}

TEMPLATE_TEST_CASE("values that are on the device are labeled there", "[small]", std::uint8_t, std::uint32_t,
                   std::uint64_t, std::int16_t, double) {
  std::mt19937 random(4);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int round = 0; round < kRounds; round += kStep) {
    start_round(static_cast<unsigned>(round) + 1);
    const Values<TestType> values =
        random_values<TestType>(random, {1 + below(150), 1 + below(12), 1 + below(9)}, 2 + below(6), 4);
    for (const Connectivity connectivity : kConnectivities) {
      const double delta = std::is_floating_point_v<TestType> || round % 2 == 1 ? 1 : 0;
      const ValueLabeling expected = tests::flood_fill(values, connectivity, delta);
      tests::expect_values_on_device<std::uint32_t>(values, connectivity, delta, expected, random);
      tests::expect_values_on_device<std::uint16_t>(values, connectivity, delta, expected, random);
    }
  }
}

#ifndef GPUCCL_EMULATED
TEST_CASE("an image and a volume of values are labeled on the GPU", "[one]") {
  std::mt19937 random(6);
  for (const Extent extent : {Extent{300, 70, 1}, Extent{140, 20, 17}}) {
    expect_as_flood_fill(random_values<std::uint32_t>(random, extent, 4, 4));
    expect_as_flood_fill(random_values<std::uint8_t>(random, extent, 5, 2), 1);
  }
}

namespace {
template <class T>
void expect_as_on_cpu(const Values<T>& values) {
  for (const Connectivity connectivity : kConnectivities) {
    INFO(static_cast<int>(connectivity) << "-connectivity, " << tests::to_string(values.extent));
    const ValueLabeling found = engine().label_values(tests::image_of(values, 0), connectivity);
    const ValueLabeling expected = label_values(tests::image_of(values, 0), connectivity);
    REQUIRE(found.values == expected.values);
    REQUIRE(found.labeled.components == expected.labeled.components);
    REQUIRE(compare(*found.labeled.labels, *expected.labeled.labels).same_numbers);
  }
}
}  // namespace

TEST_CASE("large images of values are labeled on the GPU as on the CPU") {
  std::mt19937 random(5);
  for (const int length : {1, 3, 40}) {
    expect_as_on_cpu(random_values<std::uint8_t>(random, {4096, 3001, 1}, 4, length));
    expect_as_on_cpu(random_values<std::uint32_t>(random, {300, 257, 130}, 6, length));
    expect_as_on_cpu(random_values<std::uint64_t>(random, {1 << 21, 9, 1}, 3, length));
  }
}
#else
TEST_CASE("values on CUDA with thread blocks on several processors", "[processors]") {
  std::mt19937 random(2);
  for (unsigned seed = 1; seed <= 6; seed += tests::kOneIn) {
    emulation::configure({.seed = seed, .host_threads = 3, .switch_one_in = 50});
    expect_as_flood_fill(random_values<std::uint16_t>(random, {200, 50, 1}, 3, 3));
    expect_as_flood_fill(random_values<std::uint64_t>(random, {140, 15, 7}, 3, 4));
  }
}

TEST_CASE("values on CUDA give the same labels with links of 64 bits") {
  std::mt19937 random(3);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    emulation::configure({.seed = seed});
    const Values<std::uint8_t> values = random_values<std::uint8_t>(random, {270, 40, 18}, 3, 3);
    for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c26}) {
      const auto labeler = cuda::make_value_labeler(0, connectivity, true);
      ValueImage image = tests::image_of(values, 0);
      expect_same(labeler->label(image), tests::flood_fill(values, connectivity, 0));
    }
  }
}

TEST_CASE("images of values that are none, or too large, are refused on the device") {
  emulation::configure({});
  const Extent extent{8, 4, 2};
  struct Call {
    DeviceValueImage image;
    std::size_t bytes;
  };
  const std::function<void(Call&)> wrong[] = {
      [](Call& call) { call.image.data = nullptr; },
      [](Call& call) { call.image.type = ValueType(17); },
      [](Call& call) { call.image.delta = -1; },
      [](Call& call) { call.image.row_pitch = 31; },
      [](Call& call) { call.image.row_pitch = 34; },
      [](Call& call) { --call.bytes; },
      [](Call& call) { call.image.data = static_cast<const std::byte*>(call.image.data) + 2; }};
  alignas(256) static std::byte memory[1 << 20];
  for (const auto& change : wrong) {
    CAPTURE(&change - wrong);
    Call call{{memory, ValueType::u32, extent}, device_value_workspace_bytes(extent, Connectivity::c26)};
    change(call);
    CHECK(error_code_of([&] {
            label_values_on_device(call.image, Connectivity::c26, {}, nullptr, memory, call.bytes, nullptr);
          }) == ErrorCode::usage);
  }
  CHECK(error_code_of([] {
          device_value_workspace_bytes({1 << 16, 1 << 15, 1}, Connectivity::c8);
        }) == ErrorCode::memory);
  CHECK(device_value_workspace_bytes({1 << 15, 1 << 15, 1}, Connectivity::c8) > 0);
}

TEST_CASE("an engine that is asked for CUDA labels values there, and after an error too") {
  emulation::configure({});
  std::mt19937 random(6);
  const Values<std::uint16_t> values = random_values<std::uint16_t>(random, {70, 20, 3}, 4, 3);
  const ValueLabeling expected = tests::flood_fill(values, Connectivity::c26, 0);
  Engine automatic({}, nullptr), on_gpu({.device = DeviceChoice::cuda}, nullptr);
  EngineReport report;
  expect_same(automatic.label_values(tests::image_of(values, 0), Connectivity::c26, &report), expected);
  CHECK(report.device_kind == DeviceKind::cpu);

  const auto label = [&] {
    const ValueLabeling found = on_gpu.label_values(tests::image_of(values, 0), Connectivity::c26, &report);
    CHECK(report.device_kind == DeviceKind::cuda);
    CHECK(report.gpus == std::vector<int>{0});
    expect_same(found, expected);
  };
  label();
  for (const auto& [error, failure] : {std::pair(cudaErrorLaunchFailure, ErrorCode::internal),
                                       std::pair(cudaErrorMemoryAllocation, ErrorCode::memory)}) {
    bool failed = true;
    for (std::uint64_t call = 1; failed; ++call) {
      CAPTURE(call);
      emulation::fail_call(call, error);
      try {
        label();  // what ran out of memory is tried again
        CHECK((failure == ErrorCode::memory || !emulation::has_failed()));
      } catch (const Error& thrown) {
        CHECK(thrown.code() == failure);
      }
      failed = emulation::has_failed();
      emulation::fail_call(0, cudaSuccess);
      label();
    }
  }
}

TEST_CASE("C labels values on the device, too") {
  emulation::configure({});
  const std::int16_t pixels[] = {5, 5, 0, -3, 0, 5, -3, -3};
  const gpuccl_extent extent{4, 2, 1};
  std::size_t bytes = 0;
  REQUIRE(gpuccl_device_value_workspace_bytes(extent, 4, &bytes) == GPUCCL_SUCCESS);
  REQUIRE(bytes == device_value_workspace_bytes({4, 2, 1}, Connectivity::c4));
  using Place = tests::CudaMemory::Place;
  const tests::CudaMemory workspace(Place::device, bytes), labels(Place::device, 32),
      values(Place::device, 16), count(Place::device, 8);
  const tests::CudaStream stream;
  const gpuccl_device_value_image image{pixels, GPUCCL_I16, extent, 0, 0, 0};
  const gpuccl_device_result result{
      labels.data(), 4, 0, 0, reinterpret_cast<unsigned long long*>(count.data()), nullptr, 2};
  auto* const of_components = reinterpret_cast<std::uint64_t*>(values.data());
  REQUIRE(gpuccl_label_values_on_device(&image, 4, &result, of_components, workspace.data(), bytes,
                                        stream.get()) == GPUCCL_SUCCESS);
  stream.wait();
  const auto* const found = reinterpret_cast<const std::uint32_t*>(labels.data());
  CHECK(std::vector<std::uint32_t>(found, found + 8) == std::vector<std::uint32_t>{1, 1, 0, 2, 0, 1, 2, 2});
  CHECK(of_components[0] == 5);
  CHECK(static_cast<std::int64_t>(of_components[1]) == -3);
  CHECK(gpuccl_label_values_on_device(&image, 4, &result, of_components, workspace.data(), bytes - 1,
                                      stream.get()) == GPUCCL_USAGE);
  CHECK(gpuccl_device_value_workspace_bytes({-1, 1, 1}, 4, &bytes) == GPUCCL_USAGE);
}
#endif
