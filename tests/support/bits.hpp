#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

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

/// The bytes of a sample for every element; x is the fastest axis, or z.
template <class Sample>
std::string stored_samples(const gpuccl::BitVolume& image, Sample foreground, bool swapped = false,
                           bool z_first = false) {
  const gpuccl::Extent extent = image.extent();
  std::string bytes;
  const auto add = [&](bool is_foreground) {
    const Sample sample = is_foreground ? foreground : Sample{};
    const auto* const begin = reinterpret_cast<const char*>(&sample);
    bytes.append(begin, sizeof sample);
    if (swapped) std::reverse(bytes.end() - sizeof sample, bytes.end());
  };
  if (z_first)
    for_each_element({extent.depth, extent.height, extent.width},
                     [&](int z, int y, int x) { add(image(x, y, z)); });
  else
    for_each_element(extent, [&](int x, int y, int z) { add(image(x, y, z)); });
  return bytes;
}

}  // namespace tests
