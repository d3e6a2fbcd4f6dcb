// Roots and angles that are the same everywhere, and division of integers.

#include "measure/arithmetic.hpp"

#include <numbers>

#include "support/test.hpp"

using namespace gpuccl::measuring;

TEST_CASE("integers are divided downward and upward, for all signs") {
  for (int number = -7; number <= 7; ++number)
    for (const int by : {-3, -2, -1, 1, 2, 3}) {
      CAPTURE(number, by);
      CHECK(floor_divide(number, by) == std::floor(double(number) / by));
      CHECK(ceiling_divide(number, by) == std::ceil(double(number) / by));
    }
}

TEST_CASE("cube roots of cubes are exact, others within two units in the last place") {
  for (int i = 0; i <= 2000; ++i) CHECK(cube_root(double(i) * i * i) == i);
  // The cube root of glibc for double is up to four units off.
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double number =
        std::ldexp(std::uniform_real_distribution<double>(0.5, 1)(random), int(random() % 2000) - 1000);
    const double root = cube_root(number),
                 expected = static_cast<double>(std::cbrt(static_cast<long double>(number)));
    REQUIRE(std::abs(root - expected) <= std::numeric_limits<double>::epsilon() * expected);
  }
  CHECK(cube_root(0x1p-1074) == 0x1p-358);
  CHECK(std::isinf(cube_root(std::numeric_limits<double>::infinity())));
  CHECK(std::isnan(cube_root(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("angles are rounded correctly") {
  std::mt19937_64 random(2);
  const auto coordinate = [&](bool is_whole) {
    const double number =
        std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), int(random() % 30));
    return is_whole ? std::round(number) : number;
  };
  for (int i = 0; i < 200'000; ++i) {
    const double y = coordinate(i % 2 == 0), x = coordinate(i % 3 == 0);
    if (y == 0 && x == 0) continue;
    const double angle = angle_of(y, x), above = std::nextafter(std::abs(angle), 4.0);
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    INFO(y << " " << x);
    REQUIRE(std::abs(static_cast<long double>(angle) - exact) <= 0.501L * (above - std::abs(angle)));
    REQUIRE(std::signbit(angle) == std::signbit(y));
  }
  CHECK(angle_of(0, 1) == 0);
  CHECK(angle_of(0, -1) == std::numbers::pi);
  CHECK(angle_of(1, 0) == std::numbers::pi / 2);
  CHECK(angle_of(-1, 0) == -std::numbers::pi / 2);
  CHECK(angle_of(7, 7) == std::numbers::pi / 4);
  // 0.489 units off, and std::atan2 of glibc 0.511.
  CHECK(angle_of(0x1.8p+3, 0x1.f8p+5) == 0x1.817a46cd80c7bp-3);
}

TEST_CASE("cube roots and lengths have the same last digits on every processor") {
  CHECK(cube_root(2) == 0x1.428a2f98d728bp+0);
  CHECK(cube_root(6 * 2064750.0) == 0x1.cec65023aedd8p+7);
  CHECK(length_of(3, 4) == 5);
  CHECK(length_of(0x1.1333333333333p+2, 0x1.8924924924925p+2) ==
        0x1.dfe45b1968982p+2);  // others if contracted
}
