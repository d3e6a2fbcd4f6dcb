// Properties of every image: mirrored or rotated, it has the same number of components.

#include "gpuccl/engine.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

Label count_components(BitView image, Connectivity connectivity) {
  Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
  return engine.label(image, connectivity).labels->count();
}

template <class Check>
void for_each_sample(Check check) {
  for (const Connectivity connectivity : kConnectivities)
    for (const double density : {0.1, 0.3, 0.5, 0.8})
      for (const Extent extent : {Extent{131, 67, 1}, Extent{70, 33, 9}}) {
        INFO(to_string(extent) << " density " << density << ", " << static_cast<int>(connectivity)
                               << "-connectivity");
        const BitVolume image = random_image(extent, density, 1, 11);
        check(image.view(), connectivity);
      }
}

}  // namespace

TEST_CASE("mirrored images have as many components") {
  for_each_sample([](BitView image, Connectivity connectivity) {
    const Label count = count_components(image, connectivity);
    REQUIRE(count_components(mirrored(image, true, false, false).view(), connectivity) == count);
    REQUIRE(count_components(mirrored(image, false, true, false).view(), connectivity) == count);
    REQUIRE(count_components(mirrored(image, false, false, true).view(), connectivity) == count);
    REQUIRE(count_components(mirrored(image, true, true, true).view(), connectivity) == count);
  });
}

TEST_CASE("transposed and padded images have as many components") {
  for_each_sample([](BitView image, Connectivity connectivity) {
    const Label count = count_components(image, connectivity);
    REQUIRE(count_components(transposed(image).view(), connectivity) == count);
    for (const int by : {1, 2, 31})
      REQUIRE(count_components(padded(image, by).view(), connectivity) == count);
  });
}

TEST_CASE("the areas of the components add up to the foreground") {
  for_each_sample([](BitView image, Connectivity connectivity) {
    Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
    const Labeling labeled = engine.label(image, connectivity);
    std::uint64_t area = 0;
    for (const std::uint64_t a : labeled.components.area) area += a;
    REQUIRE(area == static_cast<std::uint64_t>(count_foreground(image)));
  });
}

TEST_CASE("an element between two components joins them, and none more than it can reach") {
  for (const Connectivity connectivity : kConnectivities) {
    BitVolume two({9, 3, 3});
    for (const int x : {0, 1, 2, 3, 5, 6, 7, 8}) two.set(x, 1, 1);
    REQUIRE(count_components(two.view(), connectivity) == 2);
    two.set(4, 1, 1);
    REQUIRE(count_components(two.view(), connectivity) == 1);
  }
}

TEST_CASE("elements that meet at an edge or a vertex touch where the connectivity says so") {
  const auto count = [](int dx, int dy, int dz, Connectivity connectivity) {
    BitVolume image({3, 3, 3});
    image.set(1, 1, 1);
    image.set(1 + dx, 1 + dy, 1 + dz);
    return count_components(image.view(), connectivity);
  };
  for (const Connectivity connectivity : kConnectivities)
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int axes = dx * dx + dy * dy + dz * dz;
          if (axes == 0) continue;
          const bool touch = axes <= max_axes(connectivity) && (dz == 0 || is_3d(connectivity));
          REQUIRE(count(dx, dy, dz, connectivity) == (touch ? 1u : 2u));
        }
}
