// The arrays of other projects' test suites, with the counts, labels and components that are right for them.

#include <fstream>
#include <nlohmann/json.hpp>

#include "gpuccl/algorithms.hpp"
#include "support/catch.hpp"
#include "support/corpus.hpp"
#include "support/images.hpp"

using namespace gpuccl;
using nlohmann::json;

namespace {

BitVolume from_rows(Extent extent, const json& slices) {
  BitVolume image(extent);
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      const std::string row = slices.at(static_cast<std::size_t>(z)).at(static_cast<std::size_t>(y));
      for (int x = 0; x < extent.width; ++x) image.set(x, y, z, row.at(static_cast<std::size_t>(x)) == '1');
    }
  return image;
}

BitVolume from_boxes(Extent extent, const json& boxes) {
  BitVolume image(extent);
  for (const json& box : boxes)
    for (int z = box["lo"][0]; z < box["hi"][0]; ++z)
      for (int y = box["lo"][1]; y < box["hi"][1]; ++y)
        for (int x = box["lo"][2]; x < box["hi"][2]; ++x) image.set(x, y, z, box.value("value", 1) != 0);
  return image;
}

BitVolume from_dots(Extent extent, const json& generator) {
  BitVolume image(extent);
  const json& step = generator["step"];
  for (const json& offset : generator["offsets"])
    for (int z = offset[0]; z < extent.depth; z += step[0].get<int>())
      for (int y = offset[1]; y < extent.height; y += step[1].get<int>())
        for (int x = offset[2]; x < extent.width; x += step[2].get<int>()) image.set(x, y, z);
  return image;
}

BitVolume image_of(const json& array) {
  const Extent extent{array["shape"][2], array["shape"][1], array["shape"][0]};
  if (array.contains("rows")) return from_rows(extent, array["rows"]);
  const std::string kind = array.at("generator").at("kind");
  if (kind == "boxes") return from_boxes(extent, array["generator"]["boxes"]);
  if (kind == "dots") return from_dots(extent, array["generator"]);
  if (kind == "checkerboard") return tests::generated("checkerboard", extent);
  throw std::runtime_error("unknown generator " + kind);
}

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
  const BitVolume image = image_of(array);
  REQUIRE(count_foreground(image.view()) == array["foreground"].get<std::int64_t>());
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cpu) continue;
    for (const auto& [connectivity, count] : array["expected"].items()) {
      INFO(array["name"] << ", " << algorithm.name << ", " << connectivity << "-connectivity");
      const Variant* const variant = find_variant(algorithm, Connectivity{std::stoi(connectivity)});
      if (variant == nullptr) continue;
      const Labeled labeled = variant->make(0)->label(image.view());
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
  const std::filesystem::path folder = tests::shared_folder();
  if (folder.empty()) return;
  std::ifstream file(folder / "cases/arrays.json");
  int binary = 0;
  for (const json& array : json::parse(file)) {
    if (array.value("multivalued", false)) continue;  // equal values, which binary images do not have
    expect_as_published(array);
    ++binary;
  }
  REQUIRE(binary > 40);
}
