#pragma once

#include <array>
#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl::io {

using Rgb = std::array<std::uint8_t, 3>;

/// The color of a label in every picture: bright enough to be seen on the black of the background (0), and
/// unlike that of the labels next to it.
constexpr Rgb label_color(Label label) {
  if (label == 0) return {0, 0, 0};
  // A mix of all bits (the end of MurmurHash3), from which hue, saturation and value take theirs.
  std::uint32_t hash = label;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  const std::uint32_t hue = (hash >> 16) * 6;  // sextant in the upper half, place in it in the lower
  const std::uint32_t value = 200 + (hash & 0xff) * 55 / 255;
  const std::uint32_t spread = value * (55 + (hash >> 8 & 0xff) * 40 / 255) / 100;
  const std::uint32_t place = hue & 0xffff;
  const auto high = static_cast<std::uint8_t>(value);
  const auto low = static_cast<std::uint8_t>(value - spread);
  const auto rising = static_cast<std::uint8_t>(value - spread + (spread * place >> 16));
  const auto falling = static_cast<std::uint8_t>(value - (spread * place >> 16));
  switch (hue >> 16) {
    case 0:
      return {high, rising, low};
    case 1:
      return {falling, high, low};
    case 2:
      return {low, high, rising};
    case 3:
      return {low, falling, high};
    case 4:
      return {rising, low, high};
    default:
      return {high, low, falling};
  }
}

}  // namespace gpuccl::io
