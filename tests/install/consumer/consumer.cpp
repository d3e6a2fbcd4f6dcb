#include <cstdio>

#include "gpuccl/engine.hpp"

// Two components of a 4x1 image, labelled by the installed library.
int main() {
  gpuccl::BitVolume image({4, 1, 1});
  image.set(0, 0);
  image.set(2, 0);
  image.set(3, 0);
  gpuccl::EngineOptions options;
  options.device = gpuccl::DeviceChoice::cpu;
  gpuccl::Engine engine(options, nullptr);
  const gpuccl::Labeled labeled = engine.label(image.view(), gpuccl::Connectivity::c8);
  std::printf("%u components, the second of %llu elements\n", labeled.labels->count(),
              static_cast<unsigned long long>(labeled.components.area[1]));
}
