#include <cstdint>
#include <cstdio>
#include <vector>

#include "gpuccl/engine.hpp"

int main() {
  const std::vector<std::uint8_t> pixels = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 4x3, 0 is background
  const gpuccl::BitVolume image = gpuccl::from_bytes(pixels, {4, 3, 1});
  gpuccl::Engine engine({}, nullptr);
  const gpuccl::Labeled found = engine.label(image.view(), gpuccl::Connectivity::c8);
  const gpuccl::LabelImage labels = gpuccl::render_all(*found.labels);
  std::printf("%u components, the second around x = %g, label %u at (1, 2)\n", labels.count(),
              found.components.centroid(1, 0), labels(1, 2));
}
