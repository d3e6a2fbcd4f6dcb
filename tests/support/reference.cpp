#include "support/reference.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/catch.hpp"

using namespace gpuccl;

namespace tests {
namespace {

/// Rows [first, first + rows) with a margin behind them that must stay as it was.
template <class T>
std::vector<T> rendered(const LabelSource& labels, std::int64_t first, std::int64_t rows, const Label* map) {
  constexpr std::size_t kMargin = 64;
  const std::size_t count = static_cast<std::size_t>(rows * labels.extent().width);
  std::vector<T> values(count + kMargin, static_cast<T>(0xab));
  REQUIRE(labels.prepare(first, rows) >= first + rows);
  labels.render(first, rows, values.data(), map);
  REQUIRE(std::all_of(values.end() - kMargin, values.end(),
                      [](T value) { return value == static_cast<T>(0xab); }));
  values.resize(count);
  return values;
}

template <class T>
void expect_same_rows(const LabelSource& labels, const LabelSource& expected, const Label* map) {
  const std::int64_t all = labels.extent().rows();
  REQUIRE(rendered<T>(labels, 0, all, map) == rendered<T>(expected, 0, all, map));
  const std::int64_t middle = all / 3, part = (all - middle + 1) / 2;
  REQUIRE(rendered<T>(labels, middle, part, map) == rendered<T>(expected, middle, part, map));
  REQUIRE(rendered<T>(labels, all - 1, 1, map) == rendered<T>(expected, all - 1, 1, map));
}

/// Some labels dropped, the others in another order, all small enough for 8 bits.
std::vector<Label> some_map(Label count) {
  std::vector<Label> map(std::size_t{count} + 1, 0);
  for (std::size_t label = 1; label < map.size(); ++label)
    if (label % 3 != 0) map[label] = static_cast<Label>((label * 7) % 255 + 1);
  return map;
}

}  // namespace

Labeled flood_fill(BitView image, Connectivity connectivity) {
  return find_variant(*find_algorithm("flood-fill", DeviceKind::cpu), connectivity)->make(0)->label(image);
}

void expect_same(const Labeled& labeled, const Labeled& expected) {
  REQUIRE(labeled.labels->extent() == expected.labels->extent());
  REQUIRE(labeled.labels->count() == expected.labels->count());
  REQUIRE(labeled.components == expected.components);
  expect_same_rows<std::uint32_t>(*labeled.labels, *expected.labels, nullptr);
  const std::vector<Label> map = some_map(expected.labels->count());
  expect_same_rows<std::uint8_t>(*labeled.labels, *expected.labels, map.data());
  expect_same_rows<std::uint16_t>(*labeled.labels, *expected.labels, map.data());
  expect_same_rows<std::uint32_t>(*labeled.labels, *expected.labels, map.data());
  if (expected.labels->count() <= 255)
    expect_same_rows<std::uint8_t>(*labeled.labels, *expected.labels, nullptr);
  if (expected.labels->count() <= 65535)
    expect_same_rows<std::uint16_t>(*labeled.labels, *expected.labels, nullptr);
}

SlabWork slab_work(const BitVolume& image, Labeler& labeler, int* reads) {
  SlabWork work;
  work.read = [&image, reads](const Slab& slab, BitVolume& out) {
    if (reads != nullptr) ++*reads;
    const std::int64_t first = static_cast<std::int64_t>(slab.z0) * image.extent().height + slab.y0;
    std::memcpy(out.row(0), image.row(first), static_cast<std::size_t>(out.bytes()));
  };
  work.label = [&labeler](BitView slab) { return labeler.label(slab); };
  return work;
}

void expect_same_as_flood_fill(Labeler& labeler, BitView image, Connectivity connectivity) {
  const Labeled labeled = labeler.label(image);
  expect_same(labeled, flood_fill(image, connectivity));
}

}  // namespace tests
