#include "gpuccl/selection.hpp"

#include "gpuccl/detail/measures.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

// Areas 2, 5, 1, 5; the first two touch the edge of the image.
BitVolume four_components() {
  return drawn({"##....#..", "......#..", "......#..", "...#..#..", "......#..", ".#####...", "........."});
}

Components components_of(const BitVolume& image) {
  return flood_fill(image.view(), Connectivity::c4).components;
}

Selection selected(const SelectionOptions& options) {
  const BitVolume image = four_components();
  return select(components_of(image), image.extent(), true, options);
}

}  // namespace

TEST_CASE("without filters nothing changes and no map is made") {
  const Selection all = selected({});
  REQUIRE(all.map.empty());
  REQUIRE(all.dropped == 0);
  REQUIRE(all.components.area == UninitializedVector<std::uint64_t>{2, 5, 1, 5});
  REQUIRE(selected({.largest = 4}).map.empty());
}

TEST_CASE("components are kept by size") {
  const Selection large = selected({.min_size = 2});
  REQUIRE(large.map == std::vector<Label>{0, 1, 2, 0, 3});
  REQUIRE(large.dropped == 1);
  REQUIRE(large.components.area == UninitializedVector<std::uint64_t>{2, 5, 5});
  REQUIRE(large.components.box[2].min == std::array<int, 3>{1, 5, 0});
  REQUIRE(selected({.max_size = 2}).map == std::vector<Label>{0, 1, 0, 2, 0});
  REQUIRE(selected({.min_size = 2, .max_size = 4}).map == std::vector<Label>{0, 1, 0, 0, 0});
}

TEST_CASE("the largest are kept, the first of equals, still in raster order") {
  REQUIRE(selected({.largest = 1}).map == std::vector<Label>{0, 0, 1, 0, 0});
  REQUIRE(selected({.largest = 3}).map == std::vector<Label>{0, 1, 2, 0, 3});
  REQUIRE(selected({.largest = 1, .clear_border = true}).map == std::vector<Label>{0, 0, 0, 0, 1});
}

TEST_CASE("components at the edge are dropped") {
  const Selection inner = selected({.clear_border = true});
  REQUIRE(inner.map == std::vector<Label>{0, 0, 0, 1, 2});
  REQUIRE(inner.dropped == 2);
}

TEST_CASE("the first and last slice are an edge of a volume, but not of slices on their own") {
  BitVolume volume({5, 5, 3});
  volume.set(2, 2, 0);
  volume.set(2, 2, 1);
  const Components whole = flood_fill(volume.view(), Connectivity::c26).components;
  const Components slices = flood_fill(volume.view(), Connectivity::c8).components;
  REQUIRE(select(whole, volume.extent(), false, {.clear_border = true}).dropped == 1);
  REQUIRE(select(slices, volume.extent(), true, {.clear_border = true}).dropped == 0);

  // So is the one slice of a volume, which touches both.
  const BitVolume image = four_components();
  REQUIRE(select(components_of(image), image.extent(), false, {.clear_border = true}).dropped == 4);
}

TEST_CASE("ordered by size, the largest is label 1 and equals stay in raster order") {
  const Selection by_size = selected({.order = LabelOrder::size});
  REQUIRE(by_size.map == std::vector<Label>{0, 3, 1, 4, 2});
  REQUIRE(by_size.dropped == 0);
  REQUIRE(by_size.components.area == UninitializedVector<std::uint64_t>{5, 5, 2, 1});
  REQUIRE(selected({.largest = 2, .order = LabelOrder::size}).map == std::vector<Label>{0, 0, 1, 0, 2});
}

TEST_CASE("all components may be dropped") {
  const Selection none = selected({.min_size = 100});
  REQUIRE(none.components.size() == 0);
  REQUIRE(none.dropped == 4);
  REQUIRE(none.map == std::vector<Label>{0, 0, 0, 0, 0});
}

TEST_CASE("components are kept by a condition on measures") {
  const BitVolume image = four_components();
  const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
  SelectionOptions options;
  using Step = Condition::Step;
  options.keep.steps = {{Step::Kind::comparison, MeasureId::extent, Condition::Relation::at_least, 1},
                        {Step::Kind::comparison, MeasureId::area, Condition::Relation::greater, 1},
                        {.kind = Step::Kind::both}};
  MeasureTable measured =
      measure(*labeled.labels, labeled.components, {options.keep.measures(), Connectivity::c4, {}});
  const Selection selection = select(labeled.components, image.extent(), true, options, measured);
  CHECK(selection.map == std::vector<Label>{0, 1, 2, 0, 3});
  renumber(measured, selection.map);
  CHECK(measured.values(selection.components, 2)[MeasureId::area] == 5);
  options.largest = 1;
  CHECK(select(labeled.components, image.extent(), true, options,
               measure(*labeled.labels, labeled.components, {options.keep.measures(), Connectivity::c4, {}}))
            .map == std::vector<Label>{0, 0, 1, 0, 0});
}
