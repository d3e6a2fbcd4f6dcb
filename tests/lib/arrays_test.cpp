// The arrays of other projects' test suites, with the counts, labels and components that are right for them.

#include "support/arrays.hpp"

#include "gpuccl/algorithms.hpp"
#include "support/catch.hpp"

using namespace gpuccl;
using nlohmann::json;

namespace {

void expect_labels(const LabelImage& labels, const json& expected) {
  const Extent extent = labels.extent();
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x) {
        const Label label = expected.at(static_cast<std::size_t>(z))
                                .at(static_cast<std::size_t>(y))
                                .at(static_cast<std::size_t>(x));
        if (labels(x, y, z) != label)
          FAIL("label " << labels(x, y, z) << " at " << x << ", " << y << ", " << z);
      }
}

void expect_components(const Components& components, const json& expected) {
  REQUIRE(components.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t axes = expected[i]["centroid"].size();
    REQUIRE(components.area[i] == expected[i]["area"].get<std::uint64_t>());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      REQUIRE(components.box[i].min[axis] == expected[i]["bbox"][axis].get<int>());
      REQUIRE(components.box[i].max[axis] == expected[i]["bbox"][axes + axis].get<int>());
      REQUIRE(components.centroid(i, static_cast<int>(axis)) ==
              Approx(expected[i]["centroid"][axis].get<double>()));
    }
  }
}

void expect_as_published(const json& array) {
  const BitVolume image = tests::image_of(array);
  REQUIRE(count_foreground(image.view()) == array["foreground"].get<std::int64_t>());
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cpu) continue;
    for (const auto& [connectivity, count] : array["expected"].items()) {
      INFO(array["name"] << ", " << algorithm.name << ", " << connectivity << "-connectivity");
      const Variant* const variant = find_variant(algorithm, Connectivity{std::stoi(connectivity)});
      if (variant == nullptr) continue;
      const Labeling labeled = variant->make(0)->label(image.view());
      REQUIRE(labeled.labels->count() == count.get<Label>());
      if (array.contains("labels") && array["labels"].contains(connectivity))
        expect_labels(render_all(*labeled.labels), array["labels"][connectivity]);
      if (array.value("components_connectivity", "") == connectivity)
        expect_components(labeled.components, array["components"]);
    }
  }
}

}  // namespace

TEST_CASE("binary arrays of other test suites are labeled as published") {
  const std::vector<json> arrays = tests::published_arrays();
  for (const json& array : arrays) expect_as_published(array);
  REQUIRE((arrays.empty() || arrays.size() > 40));
}
