#include "support/images.hpp"

#include <algorithm>
#include <random>

#include "app/bench/generate.hpp"

using namespace gpuccl;

namespace tests {

BitVolume drawn(const std::vector<std::vector<std::string>>& slices) {
  const Extent extent{static_cast<int>(slices[0][0].size()), static_cast<int>(slices[0].size()),
                      static_cast<int>(slices.size())};
  return made_from(extent, [&](int x, int y, int z) {
    return slices[static_cast<std::size_t>(z)][static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] ==
           '#';
  });
}

BitVolume drawn(const std::vector<std::string>& rows) {
  return drawn(std::vector<std::vector<std::string>>{rows});
}

LabelImage label_image(Extent extent, const std::vector<Label>& labels) {
  LabelImage image(extent, *std::max_element(labels.begin(), labels.end()));
  std::copy(labels.begin(), labels.end(), image.data());
  return image;
}

BitVolume random_image(Extent extent, double density, int granularity, std::uint32_t seed) {
  return generate(
      {.kind = "random", .extent = extent, .density = density, .granularity = granularity, .seed = seed});
}

BitVolume random_shells(Extent extent, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  const int size[] = {extent.width, extent.height, extent.depth};
  BitVolume image(extent);
  const auto fill = [&](const int* low, const int* high, bool foreground) {
    for (int z = low[2]; z < high[2]; ++z)
      for (int y = low[1]; y < high[1]; ++y)
        for (int x = low[0]; x < high[0]; ++x) image.set(x, y, z, foreground);
  };
  for (int boxes = 1 + below(4); boxes > 0; --boxes) {
    int low[3], high[3], open[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = below((size[axis] + 1) / 2);
      high[axis] = size[axis] - below((size[axis] + 1) / 2);
    }
    for (bool foreground = true; low[0] < high[0] && low[1] < high[1] && low[2] < high[2];
         foreground = !foreground) {
      fill(low, high, foreground);
      for (int axis = 0; axis < 3; ++axis)  // at the first side, the last one, or between them
        open[axis] = below(3) == 0 ? low[axis] + below(high[axis] - low[axis])
                                   : (below(2) == 0 ? low[axis] : high[axis] - 1);
      if (below(2) == 0) image.set(open[0], open[1], open[2], !foreground);
      const int thick = 1 + below(2);
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] += thick;
        high[axis] -= thick;
      }
    }
  }
  return image;
}

BitVolume generated(const std::string& kind, Extent extent, int order) {
  return generate({.kind = kind, .extent = extent, .order = order});
}

BitVolume transposed(BitView image) {
  return made_from({image.extent.height, image.extent.width, image.extent.depth},
                   [&](int x, int y, int z) { return image(y, x, z); });
}

std::vector<Extent> awkward_extents_2d() {
  std::vector<Extent> extents = {{1, 1},   {1, 2},   {2, 1}, {1, 37}, {37, 1},
                                 {1, 130}, {130, 1}, {2, 2}, {3, 3},  {5, 7}};
  for (const int width : {31, 32, 33, 63, 64, 65, 127, 128, 129}) extents.push_back({width, 9 + width % 2});
  return extents;
}

std::vector<Extent> awkward_extents_3d() {
  return {{1, 1, 1},  {1, 1, 9},  {1, 9, 1},  {9, 1, 1},   {1, 6, 7},    {7, 1, 6},
          {6, 7, 1},  {2, 2, 2},  {3, 3, 3},  {5, 4, 3},   {31, 5, 6},   {33, 6, 5},
          {63, 5, 5}, {64, 7, 4}, {65, 4, 7}, {127, 3, 5}, {16, 16, 16}, {129, 4, 3}};
}

std::vector<NamedImage> every_pattern(Extent extent) {
  std::vector<NamedImage> images;
  images.push_back({"empty", BitVolume(extent)});
  images.push_back({"full", random_image(extent, 1, 1, 1)});
  for (const char* kind : {"checkerboard", "dots", "spiral", "comb", "blobs", "page"})
    images.push_back({kind, generated(kind, extent)});
  const bool fits_hilbert =
      extent.width >= 4 && extent.height >= 4 && (extent.depth == 1 || extent.depth >= 4);
  if (fits_hilbert) images.push_back({"hilbert", generated("hilbert", extent)});
  for (const int percent : {2, 10, 25, 40, 50, 60, 75, 90, 98})
    for (const int granularity : {1, 2, 5}) {
      const std::uint32_t seed = static_cast<std::uint32_t>(percent * 10 + granularity);
      images.push_back({"random " + std::to_string(percent) + " % granularity " + std::to_string(granularity),
                        random_image(extent, percent / 100.0, granularity, seed)});
    }
  return images;
}

std::string to_string(Extent extent) {
  return std::to_string(extent.width) + "x" + std::to_string(extent.height) + "x" +
         std::to_string(extent.depth);
}

}  // namespace tests
