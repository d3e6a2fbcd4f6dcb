#pragma once

#include <cstring>
#include <random>

#include "support/images.hpp"

namespace tests {

inline bool same_bits(const gpuccl::BitVolume& a, const gpuccl::BitVolume& b) {
  return a.extent() == b.extent() &&
         std::memcmp(a.view().words, b.view().words, static_cast<std::size_t>(a.bytes())) == 0;
}

/// Every element foreground or not by chance.
inline gpuccl::BitVolume noise(gpuccl::Extent extent, std::uint32_t seed) {
  std::mt19937 random(seed);
  return made_from(extent, [&](int, int, int) { return random() % 2 == 0; });
}

/// A sample for every element of slice z.
template <class Sample>
std::vector<Sample> samples_of(const gpuccl::BitVolume& image, Sample foreground, Sample background,
                               int z = 0) {
  std::vector<Sample> samples;
  for (int y = 0; y < image.extent().height; ++y)
    for (int x = 0; x < image.extent().width; ++x)
      samples.push_back(image(x, y, z) ? foreground : background);
  return samples;
}

}  // namespace tests
