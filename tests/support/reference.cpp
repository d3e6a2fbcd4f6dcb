#include "support/reference.hpp"

#include "support/test.hpp"

using namespace gpuccl;

namespace tests {
namespace {

/// Rows [first, first + rows) with a margin after them that must stay as it was.
template <class T>
std::vector<T> rendered(const LabelRows& labels, std::int64_t first, std::int64_t rows, const Label* map) {
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
void expect_same_rows(const LabelRows& labels, const LabelRows& expected, const Label* map) {
  const std::int64_t all = labels.extent().rows();
  REQUIRE(rendered<T>(labels, 0, all, map) == rendered<T>(expected, 0, all, map));
  const std::int64_t middle = all / 3, part = (all - middle + 1) / 2;
  REQUIRE(rendered<T>(labels, middle, part, map) == rendered<T>(expected, middle, part, map));
  REQUIRE(rendered<T>(labels, all - 1, 1, map) == rendered<T>(expected, all - 1, 1, map));
}

/// The rows as their runs say them.
std::vector<Label> drawn_runs(const LabelRows& labels, std::int64_t first, std::int64_t rows,
                              const Label* map) {
  REQUIRE(labels.prepare(first, rows) >= first + rows);
  LabelRuns runs;
  runs.runs.resize(3);
  runs.ends.resize(3);
  labels.list_runs(first, rows, runs, map);
  REQUIRE(runs.ends.size() == static_cast<std::size_t>(rows));
  REQUIRE(runs.ends.back() == runs.runs.size());
  const int width = labels.extent().width;
  std::vector<Label> values(static_cast<std::size_t>(rows * width));
  std::size_t i = 0;
  for (std::size_t row = 0; row < runs.ends.size(); ++row) {
    for (int at = 0; i < runs.ends[row]; at = runs.runs[i++].end) {
      const LabelRun& run = runs.runs[i];
      REQUIRE((at <= run.begin && run.begin < run.end && run.end <= width && run.label != 0));
      std::fill(values.data() + row * static_cast<std::size_t>(width) + run.begin,
                values.data() + row * static_cast<std::size_t>(width) + run.end, run.label);
    }
  }
  return values;
}

void expect_same_runs(const LabelRows& labels, const LabelRows& expected, const Label* map) {
  const std::int64_t all = labels.extent().rows(), middle = all / 3, part = (all - middle + 1) / 2;
  REQUIRE(drawn_runs(labels, 0, all, map) == rendered<Label>(expected, 0, all, map));
  REQUIRE(drawn_runs(labels, middle, part, map) == rendered<Label>(expected, middle, part, map));
}

/// Some labels dropped, the others in another order, all small enough for 8 bits.
std::vector<Label> some_map(Label count) {
  std::vector<Label> map(std::size_t{count} + 1, 0);
  for (std::size_t label = 1; label < map.size(); ++label)
    if (label % 3 != 0) map[label] = static_cast<Label>((label * 7) % 255 + 1);
  return map;
}

}  // namespace

Labeling flood_fill(BitView image, Connectivity connectivity) {
  return find_variant(*find_algorithm("flood-fill", DeviceKind::cpu), connectivity)->make(0)->label(image);
}

void expect_same(const Labeling& labeled, const Labeling& expected) {
  REQUIRE(labeled.labels->extent() == expected.labels->extent());
  REQUIRE(labeled.labels->count() == expected.labels->count());
  REQUIRE(labeled.components == expected.components);
  expect_same_rows<std::uint32_t>(*labeled.labels, *expected.labels, nullptr);
  const std::vector<Label> map = some_map(expected.labels->count());
  expect_same_rows<std::uint8_t>(*labeled.labels, *expected.labels, map.data());
  expect_same_rows<std::uint16_t>(*labeled.labels, *expected.labels, map.data());
  expect_same_rows<std::uint32_t>(*labeled.labels, *expected.labels, map.data());
  expect_same_runs(*labeled.labels, *expected.labels, nullptr);
  expect_same_runs(*labeled.labels, *expected.labels, map.data());
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
  const Labeling labeled = labeler.label(image);
  expect_same(labeled, flood_fill(image, connectivity));
}

}  // namespace tests
