#include <cstdint>
#include <cstdio>
#include <vector>

#include "gpuccl/engine.hpp"

namespace {

void label(gpuccl::Engine& engine, const gpuccl::BitVolume& image) {
  const gpuccl::Labeling labeled = engine.label(image.view(), gpuccl::Connectivity::c8);
  const gpuccl::Components& components = labeled.components;
  std::printf("%u components, the third of %llu elements around (%g, %g)\n", labeled.labels->count(),
              static_cast<unsigned long long>(components.area[2]), components.centroid(2, 0),
              components.centroid(2, 1));
}

}  // namespace

// A 4x3 image of bytes, and one of bits, labeled by the installed library.
int main() {
  const gpuccl::Extent extent{4, 3, 1};
  const std::vector<std::uint8_t> bytes = {7, 0,   0, 9,  //
                                           0, 0,   0, 0,  //
                                           0, 255, 1, 0};
  const std::vector<std::uint8_t> bits = {0b10010000, 0b00000000, 0b01100000};
  gpuccl::EngineOptions options;
  options.device = gpuccl::DeviceChoice::cpu;
  gpuccl::Engine engine(options, nullptr);
  label(engine, gpuccl::from_bytes(bytes, extent));
  label(engine, gpuccl::from_bits(bits, extent, gpuccl::BitOrder::msb_first));
}
