#include "gpuccl/detail/count_runs.hpp"
#include "support/bits.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace gpuccl {
namespace {

/// Element by element: those whose neighbours to the left, in the row above and, in a volume, in that row of
/// the slice before are background.
std::int64_t count_one_by_one(const BitVolume& image, bool diagonal, bool volume) {
  const Extent& extent = image.extent();
  const auto is_set = [&](int x, int y, int z) {
    return x >= 0 && x < extent.width && y >= 0 && z >= 0 && image(x, y, z);
  };
  const auto row_touches = [&](int x, int y, int z) {
    return is_set(x, y, z) || (diagonal && (is_set(x - 1, y, z) || is_set(x + 1, y, z)));
  };
  std::int64_t count = 0;
  tests::for_each_element(extent, [&](int x, int y, int z) {
    const bool touches =
        is_set(x - 1, y, z) || row_touches(x, y - 1, z) || (volume && row_touches(x, y, z - 1));
    if (image(x, y, z) && !touches) ++count;
  });
  return count;
}

}  // namespace

TEST_CASE("the bound of components counts runs that begin below background") {
  const auto agree = [](const BitVolume& image) {
    const auto expect = [&](Connectivity connectivity, bool diagonal, bool volume) {
      CHECK(most_components(image.view(), connectivity) == count_one_by_one(image, diagonal, volume));
    };
    expect(Connectivity::c4, false, false);
    expect(Connectivity::c8, true, false);
    expect(Connectivity::c6, false, true);
    expect(Connectivity::c18, true, true);
    expect(Connectivity::c26, true, true);
  };
  std::uint32_t seed = 1;
  for (const int width : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300})
    for (const int height : {1, 2, 7})
      for (const int depth : {1, 3}) {
        CAPTURE(width, height, depth);
        const BitVolume dense = tests::noise({width, height, depth}, seed++);
        agree(dense);
        BitVolume sparse = tests::noise({width, height, depth}, seed++);
        for (std::int64_t i = 0; i < sparse.bytes() / 4; ++i) sparse.row(0)[i] &= dense.row(0)[i];
        agree(sparse);
      }
  agree(tests::noise({1000, 300, 3}, seed));  // more than a task
}

TEST_CASE("the bound of components is theirs where each begins once") {
  const BitVolume dots = tests::generated("dots", {257, 65, 1});
  CHECK(most_components(dots.view(), Connectivity::c8) == 129 * 33);
  BitVolume columns({257, 65, 20});
  for (std::int64_t row = 0; row < columns.extent().rows(); ++row)
    std::copy_n(dots.row(row % 65), dots.row_pitch(), columns.row(row));
  CHECK(most_components(columns.view(), Connectivity::c26) == 129 * 33);
  CHECK(most_components(columns.view(), Connectivity::c8) == 129 * 33 * 20);
  CHECK(most_components(BitVolume({100, 100, 1}).view(), Connectivity::c8) == 0);
}

TEST_CASE("the bound of components of values is theirs where each begins once") {
  tests::Values<std::uint16_t> bars({30, 7, 5});  // of three elements each
  for (std::size_t i = 0; i < bars.elements.size(); ++i)
    bars.elements[i] = static_cast<std::uint16_t>(1 + 5 * (i % 30 / 3));
  CHECK(most_components(tests::image_of(bars, 0), Connectivity::c26) == 10);
  CHECK(most_components(tests::image_of(bars, 0), Connectivity::c8) == 10 * 5);
  CHECK(most_components(tests::image_of(bars, 4), Connectivity::c6) == 10);
  CHECK(most_components(tests::image_of(bars, 5), Connectivity::c6) == 1);
  CHECK(most_components(tests::image_of(tests::Values<float>({9, 9, 9}), 0), Connectivity::c6) == 0);
}

}  // namespace gpuccl
