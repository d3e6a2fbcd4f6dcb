// Renders 16-bit labels of large components into an array of the program.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "gpuccl/gpuccl.hpp"

int main() {
  const gpuccl::Extent extent{4, 3};
  const std::uint8_t pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};
  const gpuccl::BitVolume image = gpuccl::from_bytes(pixels, extent);

  // An engine selects the device and keeps its buffers from image to image.
  gpuccl::Engine engine({.device = gpuccl::DeviceChoice::cpu}, nullptr);
  gpuccl::Labeling labeled = engine.label(image.view(), gpuccl::Connectivity::c8);
  const gpuccl::Selection kept =
      gpuccl::select(labeled.components, extent, /*per_slice=*/false, {.min_size = 2});

  std::vector<std::uint16_t> mine(static_cast<std::size_t>(extent.elements()));
  gpuccl::render_all(*labeled.labels, mine.data(), kept.map.data());
  for (int y = 0; y < extent.height; ++y)
    for (int x = 0; x < extent.width; ++x)
      std::printf("%d%c", mine[static_cast<std::size_t>(y * extent.width + x)],
                  x + 1 < extent.width ? ' ' : '\n');
}
