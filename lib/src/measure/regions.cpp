#include "measure/regions.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

namespace gpuccl::measuring {

Components one_of_all(const Extent& extent) {
  Component component;
  component.area = static_cast<std::uint64_t>(extent.elements());
  component.box = {{0, 0, 0}, {extent.width - 1, extent.height - 1, extent.depth - 1}};
  Components one;
  one.push_back(component);
  return one;
}

std::vector<Region> regions_of(std::int64_t begin, std::int64_t end, const Extent& extent) {
  std::vector<Region> regions;
  while (begin < end) {
    const int y = static_cast<int>(begin % extent.height), z = static_cast<int>(begin / extent.height);
    Region region{z, z + 1, y, static_cast<int>(std::min<std::int64_t>(extent.height, y + (end - begin)))};
    if (y == 0 && end - begin >= extent.height) {
      region.z1 = static_cast<int>(end / extent.height);
      region.y1 = extent.height;
    }
    begin = std::int64_t{region.z1 - 1} * extent.height + region.y1;
    regions.push_back(region);
  }
  return regions;
}

std::vector<Region> cut(const Region& all, const Extent& extent) {
  constexpr std::int64_t kElementsOfPlane = 1 << 20;
  constexpr int kFewestRows = 64, kFewestSlices = 8;
  const int rows = static_cast<int>(
      std::clamp<std::int64_t>(kElementsOfPlane / std::max(1, extent.width), kFewestRows, INT32_MAX / 2));
  const int tasks = 4 * tbb::this_task_arena::max_concurrency();
  const int height = all.y1 - all.y0;
  int bands = std::max(1, height / rows);
  const int layers =
      std::clamp((tasks + bands - 1) / bands, 1, std::max(1, (all.z1 - all.z0) / kFewestSlices));
  bands = std::max(bands, std::min((tasks + layers - 1) / layers, height / kFewestRows));
  const auto part = [](int first, int last, int i, int parts) {
    return first + static_cast<int>(std::int64_t{last - first} * i / parts);
  };
  std::vector<Region> regions;
  for (int layer = 0; layer < layers; ++layer)
    for (int band = 0; band < bands; ++band)
      regions.push_back({part(all.z0, all.z1, layer, layers), part(all.z0, all.z1, layer + 1, layers),
                         part(all.y0, all.y1, band, bands), part(all.y0, all.y1, band + 1, bands)});
  return regions;
}

bool parts_fit(const Components& components, const std::vector<Region>& regions, std::size_t bytes_of_part,
               std::int64_t max_bytes) {
  const auto threads =
      std::min(regions.size(), static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  const auto fit = [&](std::int64_t parts) {
    return static_cast<double>(parts) * static_cast<double>(bytes_of_part * threads) <=
           static_cast<double>(max_bytes);
  };
  return fit(static_cast<std::int64_t>(components.size())) ||
         fit(std::count_if(components.box.begin(), components.box.end(), [&](const Box& box) {
           return std::none_of(regions.begin(), regions.end(),
                               [&](const Region& region) { return region.holds(box); });
         }));
}

}  // namespace gpuccl::measuring
