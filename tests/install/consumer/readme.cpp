#include <cstdint>
#include <cstdio>

#include "gpuccl/gpuccl.hpp"

int main() {
  const std::uint8_t pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 4x3, 0 is background
  const gpuccl::BitVolume image = gpuccl::from_bytes(pixels, {4, 3, 1});
  const auto [labels, components] = gpuccl::label(image.view(), gpuccl::Connectivity::c8);
  std::printf("%u components, the second around x = %g, label %u at (1, 2)\n", labels.count(),
              components.centroid(1, 0), labels(1, 2));
}
