#pragma once

#include <array>
#include <cstdint>

// Draws numbers into pictures.
namespace gpuccl::io {

inline constexpr int kDigitWidth = 3, kDigitHeight = 5;

/// Pixels of a number, with a column between two digits.
constexpr int number_width(int number) {
  int digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits * (kDigitWidth + 1) - 1;
}

/// Whether a digit has a pixel at column x and row y.
constexpr bool digit_pixel(int digit, int x, int y) {
  constexpr std::array<std::uint16_t, 10> kRows = {
      0b111'101'101'101'111, 0b010'110'010'010'111, 0b111'001'111'100'111, 0b111'001'111'001'111,
      0b101'101'111'001'001, 0b111'100'111'001'111, 0b111'100'111'101'111, 0b111'001'010'010'010,
      0b111'101'111'101'111, 0b111'101'111'001'111};
  return (kRows[static_cast<std::size_t>(digit)] >> (kDigitWidth * kDigitHeight - 1 - (y * kDigitWidth + x)) &
          1) != 0;
}

/// Calls paint(x, y) for the pixels of a number whose upper left corner is at 0, 0.
template <class Paint>
constexpr void paint_number(int number, Paint paint) {
  for (int left = number_width(number) - kDigitWidth; left >= 0; left -= kDigitWidth + 1, number /= 10)
    for (int y = 0; y < kDigitHeight; ++y)
      for (int x = 0; x < kDigitWidth; ++x)
        if (digit_pixel(number % 10, x, y)) paint(left + x, y);
}

}  // namespace gpuccl::io
