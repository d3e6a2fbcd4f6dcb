#include "io/files/number_text.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

template <class Number>
std::string ours(Number number) {
  std::array<char, kDecimalRoom> text;
  return {text.data(), put_decimal(text.data(), number)};
}

std::string standard(double number) {
  std::array<char, kDecimalRoom> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr};
}

template <class Number>
void check_number(Number number, const std::string& expected) {
  if (ours(number) != expected) FAIL("not " << expected << ", but " << ours(number));
}

void check_fraction(double number) { check_number(number, standard(number)); }

TEST_CASE("integers are written as by std::to_string") {
  const auto check_whole = [](std::uint64_t number) { check_number(number, std::to_string(number)); };
  for (std::uint64_t number = 0; number < 20000; ++number) check_whole(number);
  for (std::uint64_t power = 10; power != 0; power = power <= ~std::uint64_t{0} / 10 ? power * 10 : 0)
    for (const std::uint64_t number : {power - 1, power, power + 1, 9 * power}) check_whole(number);
  check_whole(~std::uint64_t{0});
  CHECK(ours(std::uint64_t{1234567890}) == "1234567890");
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) check_whole(random() >> random() % 64);
}

TEST_CASE("quotients are written as std::to_chars does") {
  CHECK(ours(10 / 3.0) == "3.3333333333333335");
  for (int area = 1; area < 200; ++area)
    for (int sum = 0; sum < 1000; ++sum) check_fraction(double(sum) / area);
  std::mt19937_64 random(2);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t area = 1 + (random() >> random() % 60);
    check_fraction(static_cast<double>(random() >> random() % 60) / static_cast<double>(area));
  }
}

TEST_CASE("numbers with few and with all bits are written as std::to_chars does, at every size") {
  CHECK(ours(1 + 1 / 131072.0) == "1.0000076293945312");  // ...45 3125, half way
  std::mt19937_64 random(3);
  for (int exponent = -2; exponent <= 33; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double number : {power, std::nextafter(power, 0.0), std::nextafter(power, 2 * power)})
      check_fraction(number);
    for (int bit = 1; bit <= 52;
         ++bit) {  // halves of steps among them, which lie half way between two digits
      check_fraction(power + std::ldexp(power, -bit));
      check_fraction(2 * power - std::ldexp(power, -bit));
    }
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t mantissa = random() >> 12, zeros = random() % 53;
      const double all = std::ldexp(1 + std::ldexp(static_cast<double>(mantissa), -52), exponent);
      const double few =
          std::ldexp(1 + std::ldexp(static_cast<double>(mantissa >> zeros << zeros), -52), exponent);
      for (const double number : {all, few, std::nextafter(few, 0.0), std::nextafter(few, 2 * few)})
        check_fraction(number);
    }
  }
}

TEST_CASE("numbers that no centroid is are written as std::to_chars does") {
  CHECK(ours(-0.0) == "-0");
  using Limits = std::numeric_limits<double>;
  for (const double number : {0.0, -0.0, -1.5, 1e22, 0.1, Limits::min(), Limits::denorm_min(), Limits::max(),
                              Limits::lowest(), Limits::infinity()})
    check_fraction(number);
}

}  // namespace
}  // namespace gpuccl::io
