#include "cpu/runs/numbering.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/selection.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_merger.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace {

constexpr CoordinateSum k2To64 = CoordinateSum{1} << 64;

/// Much larger than what fits into memory.
Component large(std::uint64_t area, CoordinateSum sum_x) {
  return {area, {{0, 0, 0}, {2147483646, 9, 0}}, {sum_x, 5, k2To64 - 1}};
}

}  // namespace

TEST_CASE("sums of coordinates go on beyond 2^64") {
  Components components;
  components.push_back(large(std::uint64_t{1} << 40, 3 * k2To64 + 7));
  components.push_back(large(4, 6));
  CHECK(components[0].sum[0] == 3 * k2To64 + 7);
  CHECK(components[0].sum[2] == k2To64 - 1);
  CHECK(components[1].sum[0] == 6);
  CHECK(components.centroid(0, 0) == 3.0 * 16777216);
  CHECK(components.centroid(1, 0) == 1.5);

  Component both = components[0];
  both.add(components[1]);
  components.set(1, both);
  CHECK(components[1].sum[0] == 3 * k2To64 + 13);
  CHECK(components[1].sum[2] == 2 * (k2To64 - 1));
  components.set(1, large(4, 6));
  CHECK(components[1].sum[0] == 6);

  SelectionOptions largest;
  largest.largest = 1;
  const Selection selection = select(components, {2147483647, 10, 1}, true, largest);
  REQUIRE(selection.components.size() == 1);
  CHECK(selection.components[0].sum[0] == 3 * k2To64 + 7);
}

TEST_CASE("the parts of a component in slabs add up beyond 2^64") {
  SlabComponents slabs(INT64_MAX);
  Components of_slab;
  of_slab.push_back(large(std::uint64_t{1} << 33, k2To64 - 1));
  const Label first = slabs.add({0, 1, 0, 5}, of_slab), second = slabs.add({0, 1, 5, 10}, of_slab);
  slabs.unite(first + 1, second + 1);
  const Components whole = slabs.number();
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].sum[0] == 2 * k2To64 - 2);
  CHECK(whole[0].sum[1] == 10 + (CoordinateSum{5} << 33));
}

TEST_CASE("the CPU engine adds up beyond 2^64") {
  // White, 2^30 elements wide; all rows are one in memory.
  constexpr int kWidth = 1 << 30, kHeight = 80;
  std::vector<std::uint32_t> row(kWidth / 32, ~0u);
  const cpu::Bundles bundles(BitView{row.data(), {kWidth, kHeight, 1}, 0}, 0b0001);
  std::vector<Index> runs_before(kHeight + 1);
  for (std::size_t i = 0; i < runs_before.size(); ++i) runs_before[i] = static_cast<Index>(i);
  auto label_of_run = std::make_unique<Label[]>(kHeight);
  std::fill_n(label_of_run.get(), kHeight, Label{1});
  const cpu::RunLabels labels(bundles, runs_before, std::move(label_of_run), 1);

  const CoordinateSum sum_x = CoordinateSum{kHeight} * kWidth * (kWidth - 1) / 2;
  REQUIRE(sum_x > k2To64);
  // Each strip passes 2^64; the others add to a component of the first.
  const Components components = measure(labels, {{0, 36}, {36, 40}, {40, kHeight}}, {0, 1, 1, 1});
  REQUIRE(components.size() == 1);
  CHECK(components.area[0] == std::uint64_t{kHeight} * kWidth);
  CHECK(components[0].sum[0] == sum_x);
  CHECK(components[0].sum[1] == CoordinateSum{kWidth} * (kHeight * (kHeight - 1) / 2));
  CHECK(components.centroid(0, 0) == (kWidth - 1) / 2.0);
}

TEST_CASE("rows of slabs touch up to the largest width there is") {
  constexpr int kWidth = 2147483647;
  const auto pairs = [](std::vector<LabelRun> a, std::vector<LabelRun> b, bool diagonal) {
    std::vector<std::pair<Label, Label>> united;
    for_each_contact_of_rows(
        std::span<const LabelRun>(a), std::span<const LabelRun>(b), diagonal,
        [&](const LabelRun& one, const LabelRun& other) { united.emplace_back(one.label, other.label); });
    return united;
  };
  using Pairs = std::vector<std::pair<Label, Label>>;
  for (const bool diagonal : {false, true}) {
    CHECK(pairs({{0, kWidth, 1}}, {{0, kWidth, 2}}, diagonal) == Pairs{{1, 2}});
    CHECK(pairs({{5, kWidth, 1}}, {{0, 4, 2}, {kWidth - 1, kWidth, 3}}, diagonal) == Pairs{{1, 3}});
  }
  CHECK(pairs({{0, 4, 1}}, {{4, kWidth, 2}}, true) == Pairs{{1, 2}});
  CHECK(pairs({{0, 4, 1}}, {{4, kWidth, 2}}, false).empty());
  CHECK(pairs({{0, kWidth - 1, 1}}, {{kWidth - 1, kWidth, 2}}, true) == Pairs{{1, 2}});
}
