#include "gpuccl/component_bound.hpp"

#include <initializer_list>

#include "gpuccl/generate.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"

namespace gpuccl {
namespace {

/// Element by element: those whose neighbours to the left and in the row above are background.
std::int64_t count_one_by_one(const BitVolume& image, bool diagonal) {
  const Extent& extent = image.extent();
  const auto is_set = [&](int x, int y, int z) {
    return x >= 0 && x < extent.width && y >= 0 && image(x, y, z);
  };
  std::int64_t count = 0;
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x) {
        const bool touches = is_set(x - 1, y, z) || is_set(x, y - 1, z) ||
                             (diagonal && (is_set(x - 1, y - 1, z) || is_set(x + 1, y - 1, z)));
        if (image(x, y, z) && !touches) ++count;
      }
  return count;
}

BitVolume dots_of(Extent extent) {
  GenerateOptions options;
  options.kind = "dots";
  options.extent = extent;
  return generate(options);
}

}  // namespace

TEST_CASE("the bound of components counts runs that begin below background") {
  const auto agree = [](const BitVolume& image) {
    for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c6})
      CHECK(most_components(image.view(), connectivity) == count_one_by_one(image, false));
    for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c18, Connectivity::c26})
      CHECK(most_components(image.view(), connectivity) == count_one_by_one(image, true));
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

TEST_CASE("the bound of components is theirs where none touches another's rows") {
  const BitVolume dots = dots_of({257, 65, 1});
  CHECK(most_components(dots.view(), Connectivity::c8) == 129 * 33);
  CHECK(most_components(BitVolume({100, 100, 1}).view(), Connectivity::c8) == 0);
}

}  // namespace gpuccl
