#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "support/bits.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// By looking at every element: what has no border element among its own is a hole.
BitVolume filled_by_looking(const BitVolume& image, Connectivity connectivity, std::uint64_t max_size,
                            std::uint64_t& count, std::uint64_t& elements) {
  const Extent extent = image.extent();
  const BitVolume inverted = made_from(extent, [&](int x, int y, int z) { return !image(x, y, z); });
  const Labeling background = flood_fill(inverted.view(), complementary(connectivity));
  const LabelImage labels = render_all(*background.labels);
  const bool ends_along_z = is_3d(connectivity);
  std::set<Label> outside;
  for_each_element(extent, [&](int x, int y, int z) {
    const Label label = labels(x, y, z);
    if (x == 0 || y == 0 || x == extent.width - 1 || y == extent.height - 1 ||
        (ends_along_z && (z == 0 || z == extent.depth - 1)))
      outside.insert(label);
  });
  BitVolume filled(extent);
  std::set<Label> holes;
  elements = 0;
  for_each_element(extent, [&](int x, int y, int z) {
    const Label label = labels(x, y, z);
    const bool is_hole =
        label != 0 && !outside.contains(label) && background.components.area[label - 1] <= max_size;
    if (is_hole) {
      holes.insert(label);
      ++elements;
    }
    filled.set(x, y, z, label == 0 || is_hole);
  });
  count = holes.size();
  return filled;
}

BitVolume inverted(const BitVolume& image) {
  const Extent extent = image.extent();
  BitVolume copy(extent);
  std::copy_n(image.row(std::int64_t{0}), image.bytes() / 4, copy.row(std::int64_t{0}));
  invert(copy);
  return copy;
}

BitVolume drawn_filled(const Holes& holes, Extent extent) {
  BitVolume filled(extent);
  holes.draw_filled(0, filled);
  return filled;
}

}  // namespace

TEST_CASE("a hole inside a hole's island is filled with it, and background open to the border is not") {
  const BitVolume image = drawn({
      ".........",
      ".#######.",
      ".#.....#.",
      ".#.###.#.",
      ".#.#.#.#.",
      ".#.###.#.",
      ".#.....#.",
      ".###.###.",
      ".........",
  });
  const BitVolume background = inverted(image);
  const Holes holes(flood_fill(background.view(), Connectivity::c4), true, ~std::uint64_t{0});
  CHECK(holes.count() == 1);
  CHECK(holes.elements() == 1);
  CHECK(drawn_filled(holes, image.extent())(4, 4));
  CHECK(!drawn_filled(holes, image.extent())(2, 2));
}

TEST_CASE("holes that are filled are those that looking at every element finds, in slabs too") {
  std::uint32_t seed = 7;
  const auto below = [&seed](std::uint32_t count) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<int>((seed >> 8) % count);
  };
  std::uint64_t all_holes = 0;
  for (int round = 0; round < 700; ++round) {
    const Extent extent{1 + below(40), 1 + below(17), below(3) == 0 ? 1 : 1 + below(9)};
    const BitVolume image = random_image(extent, 0.3 + below(65) / 100.0, 1 + below(3), seed);
    const std::uint64_t max_size = below(2) == 0 ? ~std::uint64_t{0} : 1 + static_cast<unsigned>(below(6));
    const std::int64_t slab = 1 + below(static_cast<std::uint32_t>(extent.elements()));
    for (const Connectivity connectivity : kConnectivities) {
      INFO(to_string(extent) << " round " << round << ", " << static_cast<int>(connectivity)
                             << "-connectivity, at most " << max_size << ", slabs of " << slab);
      std::uint64_t count = 0, elements = 0;
      const BitVolume expected = filled_by_looking(image, connectivity, max_size, count, elements);
      const BitVolume background = inverted(image);
      const Connectivity other = complementary(connectivity);
      const auto labeler = runs_on_cpu(other);
      const Holes holes(labeler->label(background.view()), !is_3d(connectivity), max_size);
      REQUIRE(holes.count() == count);
      REQUIRE(holes.elements() == elements);
      REQUIRE(same_bits(drawn_filled(holes, extent), expected));
      all_holes += count;

      const std::vector<Slab> slabs = cut_into_slabs(extent, other, slab);
      const Holes of_slabs(label_by_slabs(extent, other, slabs, slab_work(background, *labeler)),
                           !is_3d(connectivity), max_size);
      REQUIRE(of_slabs.count() == count);
      for (int again = 0; again < 2; ++again)
        for (const Slab& part : slabs) {
          BitVolume rows({extent.width, part.y1 - part.y0, part.z1 - part.z0});
          const std::int64_t first = static_cast<std::int64_t>(part.z0) * extent.height + part.y0;
          of_slabs.draw_filled(first, rows);
          REQUIRE(std::equal(rows.row(std::int64_t{0}), rows.row(std::int64_t{0}) + rows.bytes() / 4,
                             expected.row(first)));
        }
    }
  }
  CHECK(all_holes > 10000);
}

TEST_CASE("background of a volume without a way to the border is enclosed") {
  std::uint32_t seed = 11;
  int enclosed_volumes = 0;
  for (const Extent extent :
       {Extent{13, 17, 19}, {1, 9, 9}, {64, 6, 40}, {65, 40, 33}, {129, 5, 4}, {7, 1, 3}, {30, 20, 1}})
    for (const double density : {0.3, 0.5, 0.7, 0.9})
      for (const int granularity : {1, 2})
        for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
          INFO(to_string(extent) << ", density " << density << ", granularity " << granularity << ", "
                                 << static_cast<int>(connectivity) << "-connectivity");
          const BitVolume image = random_image(extent, density, granularity, ++seed);
          std::uint64_t count = 0, elements = 0;
          const BitVolume filled = filled_by_looking(image, connectivity, ~std::uint64_t{0}, count, elements);
          const auto labeler = runs_on_cpu(connectivity);
          const Labeling labeled = labeler->label(image.view());
          const BitVolume enclosed = enclosed_background(*labeled.labels, complementary(connectivity));
          BitVolume expected(extent);
          for (std::int64_t row = 0; row < extent.rows(); ++row)
            for (int i = 0; i < expected.row_pitch(); ++i)
              expected.row(row)[i] = filled.row(row)[i] & ~image.row(row)[i];
          REQUIRE(same_bits(enclosed, expected));
          enclosed_volumes += count > 0;
        }
  CHECK(enclosed_volumes > 50);
}

TEST_CASE("a background that winds, or that labels do not show, is drawn whole") {
  // From row to row and back, 128 times.
  const Extent extent{257, 65, 3};
  std::int64_t elements_of_way = 1;
  BitVolume image = made_from(extent, [&](int x, int y, int z) {
    const bool is_wall = z == 0 || z == 2 || y == 0 || y == 64 || x == 0 || x == 256;
    const bool is_way = !is_wall && (x % 2 == 1 || y == (x % 4 == 0 ? 1 : 63));
    elements_of_way += is_way;
    return !is_way;
  });
  image.set(0, 1, 1, false);
  for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c26}) {
    const auto labeler = runs_on_cpu(connectivity);
    const Labeling labeled = labeler->label(image.view());
    const LabelImage drawn_labels = render_all(*labeled.labels);
    const Connectivity of_background = complementary(connectivity);
    CHECK(count_foreground(enclosed_background(*labeled.labels, of_background).view()) == elements_of_way);
    CHECK(count_foreground(enclosed_background(drawn_labels, of_background).view()) == elements_of_way);
  }
}
