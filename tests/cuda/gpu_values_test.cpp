// Labeling by values on a real GPU: images of the host, and of the device. [small] is for compute-sanitizer,
// [one] for its slowest tool.

#include <random>

#include "cuda/value_case.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/objects.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"
#include "support/reference.hpp"
#include "support/values.hpp"

using namespace gpuccl;
using tests::random_values;
using tests::Values;

namespace {

Engine& engine() {
  static Engine on_gpu({.device = DeviceChoice::cuda}, [](const std::string& line) { FAIL(line); });
  return on_gpu;
}

void expect_same(const ValueLabeling& found, const ValueLabeling& expected) {
  tests::expect_same(found.labeled, expected.labeled);
  REQUIRE(found.values == expected.values);
}

/// From the host, at every connectivity, against flood fill.
template <class T>
void expect_as_flood_fill(const Values<T>& values, double delta) {
  for (const Connectivity connectivity : kConnectivities) {
    INFO(static_cast<int>(connectivity)
         << "-connectivity, " << tests::to_string(values.extent) << ", delta " << delta);
    EngineReport report;
    expect_same(engine().label_values(tests::image_of(values, delta), connectivity, &report),
                tests::flood_fill(values, connectivity, delta));
    REQUIRE(report.device_kind == DeviceKind::cuda);
  }
}

/// Requires the labels of the CPU, for images that flood fill takes too long for.
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

TEMPLATE_TEST_CASE("values of every type are labeled on the GPU as flood fill says", "[small]", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, float, double) {
  std::mt19937 random(sizeof(TestType));
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int round = 0; round < 6; ++round) {
    const Extent extent{1 + below(round % 2 == 0 ? 300 : 40), 1 + below(40), 1 + below(10)};
    Values<TestType> values = random_values<TestType>(random, extent, 2 + below(10), 1 + below(5));
    if (round % 3 == 0) repeat_rows(random, values);
    expect_as_flood_fill(values, 0);
    expect_as_flood_fill(values, 1 + round % 2);
  }
}

TEST_CASE("values on the GPU connect across the ends of words and the edges of tiles", "[small]") {
  std::mt19937 random(1);
  for (const Extent extent :
       {Extent{31, 9, 9}, Extent{32, 9, 9}, Extent{33, 9, 9}, Extent{64, 17, 3}, Extent{65, 33, 1},
        Extent{129, 18, 10}, Extent{257, 65, 1}, Extent{258, 34, 2}, Extent{260, 17, 17}, Extent{530, 66, 1}})
    for (const int length : {1, 4, 30})
      expect_as_flood_fill(random_values<std::uint32_t>(random, extent, 3, length), length == 1 ? 1 : 0);
}

TEMPLATE_TEST_CASE("values that are on the GPU are labeled there", "[small]", std::uint8_t, std::uint32_t,
                   std::uint64_t, std::int16_t, double) {
  std::mt19937 random(4);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int round = 0; round < 6; ++round) {
    const Values<TestType> values = random_values<TestType>(
        random, {1 + below(300), 1 + below(40), 1 + below(12)}, 2 + below(6), 1 + below(8));
    for (const Connectivity connectivity : kConnectivities) {
      const double delta = round % 3;
      const ValueLabeling expected = tests::flood_fill(values, connectivity, delta);
      tests::expect_values_on_device<std::uint32_t>(values, connectivity, delta, expected, random);
      tests::expect_values_on_device<std::uint16_t>(values, connectivity, delta, expected, random);
    }
  }
}

TEST_CASE("an image and a volume of values are labeled on the GPU", "[one]") {
  std::mt19937 random(6);
  for (const Extent extent : {Extent{300, 70, 1}, Extent{140, 20, 17}}) {
    expect_as_flood_fill(random_values<std::uint32_t>(random, extent, 4, 4), 0);
    expect_as_flood_fill(random_values<std::uint8_t>(random, extent, 5, 2), 1);
  }
}

TEST_CASE("large images of values are labeled on the GPU as on the CPU") {
  std::mt19937 random(5);
  for (const int length : {1, 3, 40}) {
    expect_as_on_cpu(random_values<std::uint8_t>(random, {4096, 3001, 1}, 4, length));
    expect_as_on_cpu(random_values<std::uint32_t>(random, {300, 257, 130}, 6, length));
    expect_as_on_cpu(random_values<std::uint64_t>(random, {1 << 21, 9, 1}, 3, length));
  }
}
