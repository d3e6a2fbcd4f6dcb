#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl::bench {

/// Rows of RGB.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The bytes of a PNG.
std::string as_png(const Picture& picture);

}  // namespace gpuccl::bench
