#include "gpuccl/bit_volume.hpp"

#include "support/catch.hpp"

using namespace gpuccl;

TEST_CASE("a bit volume keeps rows on 64-bit boundaries and its padding at zero") {
  BitVolume image({65, 2, 3});
  REQUIRE(image.row_pitch() == 4);
  image.set(64, 1, 2);
  REQUIRE(image(64, 1, 2));
  REQUIRE(!image(63, 1, 2));
  REQUIRE(image.row(1, 2)[2] == 1u);
  REQUIRE(count_foreground(image.view()) == 1);
  REQUIRE(count_foreground(image.view().slices(0, 2)) == 0);
  REQUIRE(image.view().slices(2, 3)(64, 1));
  image.set(64, 1, 2, false);
  REQUIRE(count_foreground(image.view()) == 0);
}
