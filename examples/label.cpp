#include <cstdio>

#include "gpuccl/gpuccl.hpp"

int main() {
  const unsigned char pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 4x3, 0 is background
  const gpuccl::BitVolume image = gpuccl::from_bytes(pixels, {4, 3});
  const auto [labels, components] = gpuccl::label(image.view(), gpuccl::Connectivity::c8);
  std::printf("%zu components, label %u at (1, 2)\n", components.size(), labels(1, 2));
}
