// Sums over the ones of words, in the two ways that processors take.

#include "measure/row_bits.hpp"
#include "support/test.hpp"

using namespace gpuccl::measuring;

TEST_CASE("positions and their squares are the same byte by byte, by counting and one by one") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Word word = random();
    if (i % 4 == 1) word &= random() & random();
    if (i % 4 == 2) word |= random() | random();
    if (i % 4 == 3) word = ~Word{0} << i % 64;
    std::uint64_t count = 0, sum = 0, squares = 0;
    for (std::uint64_t bit = 0; bit < 64; ++bit)
      if ((word >> bit & 1) != 0) {
        ++count;
        sum += bit;
        squares += bit * bit;
      }
    CAPTURE(word);
    for (const Positions& positions : {positions_of(word), positions_by_counting(word)}) {
      REQUIRE(positions.count == count);
      REQUIRE(positions.sum == sum);
      REQUIRE(positions.squares == squares);
    }
  }
}
