// Equal values, and values that differ by at most a delta, against flood fill over values.

#include "gpuccl/values.hpp"

#include <bit>

#include "gpuccl/detail/count_runs.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

using namespace gpuccl;
using tests::expect_same;
using tests::random_values;
using tests::repeat_rows;
using tests::Values;

namespace {

constexpr double kDeltas[] = {0, 1, 2, 1e19, 0.5};

template <class T>
void expect_same_on_random_images(unsigned seed, int images) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int i = 0; i < images; ++i) {
    const Extent extent{1 + below(i % 5 == 0 ? 140 : 12), 1 + below(8), 1 + below(6)};
    // Some rows have long runs, and some images are noise.
    Values<T> values = random_values<T>(random, extent, 2 + below(10), 1 + below(i % 3 == 0 ? 60 : 5));
    if (i % 2 == 0) std::shuffle(values.elements.begin(), values.elements.end(), random);
    const double delta = kDeltas[i % 5];
    for (const Connectivity connectivity : kConnectivities) {
      INFO("seed " << seed << ", image " << i << ", delta " << delta << ", connectivity "
                   << static_cast<int>(connectivity));
      const ValueLabeling expected = tests::flood_fill(values, connectivity, delta);
      ValueImage image = tests::image_of(values, delta);
      const std::int64_t bound = most_components(image, connectivity);
      REQUIRE(bound >= std::ssize(expected.values));
      REQUIRE(bound <= image.count_runs());
      const ValueLabeling found = label_values(std::move(image), connectivity, 1 + below(7));
      expect_same(found, expected);
      // Runs of a label, whatever values they have: writers choose by their number.
      LabelRuns listed, rendered;
      found.labeled.labels->list_runs(0, extent.rows(), listed, nullptr);
      found.labeled.labels->LabelRows::list_runs(0, extent.rows(), rendered, nullptr);
      REQUIRE((listed.runs == rendered.runs));
      REQUIRE(listed.ends == rendered.ends);
    }
  }
}

template <class T>
ValueLabeling labeled(Extent extent, std::vector<T> elements, Connectivity connectivity, double delta = 0) {
  Values<T> values(extent);
  values.elements = std::move(elements);
  return label_values(tests::image_of(values, delta), connectivity);
}

}  // namespace

TEMPLATE_TEST_CASE("values connect as flood fill over values says", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, float,
                   double) {
  expect_same_on_random_images<TestType>(sizeof(TestType), 60);
}

TEST_CASE("rows equal to their neighbors connect as in flood fill over values") {
  std::mt19937 random(5);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int i = 0; i < 500; ++i) {
    Values<std::uint16_t> values =
        random_values<std::uint16_t>(random, {1 + below(i % 4 == 0 ? 80 : 9), 1 + below(8), 1 + below(6)},
                                     2 + below(3), 1 + below(i % 8 == 0 ? 60 : 3));
    if (i % 3 == 0) std::shuffle(values.elements.begin(), values.elements.end(), random);
    repeat_rows(random, values);
    for (const Connectivity connectivity : kConnectivities) {
      INFO("image " << i << ", connectivity " << static_cast<int>(connectivity));
      ValueLabeling expected = tests::flood_fill(values, connectivity, 0);
      expect_same(label_values(tests::image_of(values, 0), connectivity, 1 + below(3)), expected);
      expected.labeled.components = {};
      expected.values = {};
      expect_same(label_values(tests::image_of(values, 0), connectivity, 1 + below(3), true), expected);
    }
  }
}

TEST_CASE("a delta makes chains, and 0 and NaN are background for any delta") {
  using V = std::vector<int>;
  CHECK(labeled<int>({5, 1, 1}, V{1, 2, 3, 9, 8}, Connectivity::c4, 1).labeled.labels->count() == 2);
  CHECK(labeled<int>({3, 1, 1}, V{1, 0, 1}, Connectivity::c4, 5).labeled.labels->count() == 2);
  CHECK(labeled<int>({2, 1, 1}, V{-1, 1}, Connectivity::c4, 2).labeled.labels->count() == 1);
  // 1 and 3 are two apart; around them they are a chain.
  const ValueLabeling around = labeled<int>({2, 2, 1}, V{1, 3, 2, 2}, Connectivity::c4, 1);
  CHECK(around.labeled.labels->count() == 1);
  CHECK(around.values[0] == 1);
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  CHECK(labeled<float>({3, 1, 1}, {1, nan, 1}, Connectivity::c4, 9).labeled.labels->count() == 2);
  CHECK(labeled<float>({3, 1, 1}, {infinity, infinity, 1}, Connectivity::c4, 9).labeled.labels->count() == 2);
  CHECK(labeled<float>({2, 1, 1}, {-0.0F, 0.0F}, Connectivity::c4).labeled.labels->count() == 0);
}

TEST_CASE("a delta below 0 is refused, and so is one that is no number") {
  for (const double delta : {-1.0, std::nan("")})
    CHECK(error_code_of([&] { ValueImage({1, 1, 1}, ValueType::f32, delta); }) == ErrorCode::usage);
}

TEST_CASE("an image of values without elements has no components") {
  CHECK(label_values(ValueImage({0, 3, 2}, ValueType::u8), Connectivity::c26).labeled.labels->count() == 0);
}

TEMPLATE_TEST_CASE("slabs of values are labeled as the whole, twice over", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, float,
                   double) {
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    const Extent extent{1 + static_cast<int>(random() % 9), 1 + static_cast<int>(random() % 6),
                        2 + static_cast<int>(random() % 7)};
    const Values<TestType> values =
        random_values<TestType>(random, extent, 2 + static_cast<int>(random() % 8), 3);
    const double delta = i % 3 == 0 ? 0 : kDeltas[random() % std::size(kDeltas)];
    for (const Connectivity connectivity : kConnectivities) {
      INFO("image " << i << ", delta " << delta << ", connectivity " << static_cast<int>(connectivity));
      const auto label = [&](const Slab& slab) {
        ValueImage image = tests::image_of(values, delta, slab.z0, slab.z1);
        ValueFaces faces = faces_of(image, slab, extent, connectivity);
        ValueLabeling labeled = label_values(std::move(image), connectivity);
        return SlabSummary{std::move(labeled.labeled), std::move(labeled.values), std::move(faces)};
      };
      const std::int64_t slice = std::int64_t{extent.width} * extent.height;
      const std::vector<Slab> slabs =
          cut_into_slabs(extent, connectivity, slice * (1 + static_cast<int>(random() % 3)));
      const ValueLabeling labeled = label_values_by_slabs(extent, connectivity, slabs, label);
      const ValueLabeling expected = tests::flood_fill(values, connectivity, delta);
      REQUIRE(labeled.values == expected.values);
      REQUIRE(labeled.labeled.components == expected.labeled.components);
      std::vector<Label> rows(static_cast<std::size_t>(extent.elements()));
      for (std::int64_t row = 0; row < extent.rows(); ++row) {
        labeled.labeled.labels->prepare(row, 1);
        labeled.labeled.labels->render(row, 1, rows.data() + row * extent.width, nullptr);
      }
      const LabelImage image = render_all(*expected.labeled.labels);
      REQUIRE(std::equal(rows.begin(), rows.end(), image.data()));
    }
  }
}

TEST_CASE("values at the faces of slabs are copied only with a delta, and at faces that others touch") {
  const Extent extent{3, 2, 4};
  std::mt19937 random(1);
  const Values<std::uint16_t> values = random_values<std::uint16_t>(random, extent, 3, 2);
  const auto bytes = [&](const Slab& slab, Connectivity connectivity, double delta) {
    const ValueFaces faces =
        faces_of(tests::image_of(values, delta, slab.z0, slab.z1), slab, extent, connectivity);
    return std::pair{faces.first.size(), faces.last.size()};
  };
  constexpr std::size_t kSlice = 3 * 2 * sizeof(std::uint16_t);
  CHECK(bytes({0, 2, 0, 2}, Connectivity::c6, 1) == std::pair{std::size_t{0}, kSlice});
  CHECK(bytes({1, 2, 0, 2}, Connectivity::c6, 1) == std::pair{kSlice, kSlice});
  CHECK(bytes({2, 4, 0, 2}, Connectivity::c26, 1) == std::pair{kSlice, std::size_t{0}});
  CHECK(bytes({1, 2, 0, 2}, Connectivity::c8, 1) == std::pair{std::size_t{0}, std::size_t{0}});
  CHECK(bytes({1, 2, 0, 2}, Connectivity::c6, 0) == std::pair{std::size_t{0}, std::size_t{0}});
}

TEST_CASE("slabs that come without the elements at their faces are refused") {
  const Extent extent{3, 2, 4};
  std::mt19937 random(1);
  const Values<std::uint16_t> values = random_values<std::uint16_t>(random, extent, 3, 2);
  const auto label = [&](const Slab& slab) {
    ValueLabeling labeled = label_values(tests::image_of(values, 1, slab.z0, slab.z1), Connectivity::c6);
    return SlabSummary{std::move(labeled.labeled), std::move(labeled.values), {ValueType::u16, 1, {}, {}}};
  };
  const std::vector<Slab> slabs = cut_into_slabs(extent, Connectivity::c6, 6);
  CHECK(error_code_of([&] { label_values_by_slabs(extent, Connectivity::c6, slabs, label); }) ==
        ErrorCode::internal);
}

TEST_CASE("the largest of each value are kept, in raster order") {
  Components components;
  for (const std::uint64_t area : {5u, 7u, 6u, 6u, 2u}) components.push_back({.area = area});
  const std::vector<ValueBits> values = {1, 2, 1, 1, 3};
  const auto map_of = [&](const SelectionOptions& options) {
    return select(components, {9, 9, 1}, false, options, MeasureTable(), {values, ValueType::u64, true}).map;
  };
  CHECK(map_of({.largest = 1}) == std::vector<Label>{0, 0, 1, 2, 0, 3});
  CHECK(map_of({.largest = 3}).empty());
  CHECK(map_of({.min_size = 6, .largest = 1}) == std::vector<Label>{0, 0, 1, 2, 0, 0});
}
