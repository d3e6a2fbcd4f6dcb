#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl::io {

/// A PNG as libpng decodes it, channel by channel.
struct DecodedPng {
  std::uint32_t width = 0, height = 0;
  int bits = 0, channels = 0;
  std::vector<std::uint16_t> values;

  std::uint16_t at(std::uint32_t x, std::uint32_t y, int channel = 0) const {
    return values[(std::size_t{y} * width + x) * static_cast<std::size_t>(channels) +
                  static_cast<std::size_t>(channel)];
  }
};

DecodedPng read_png(const std::string& path);

}  // namespace gpuccl::io
