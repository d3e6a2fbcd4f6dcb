#include <tbb/parallel_for.h>

#include <algorithm>

#include "common/add_phases.hpp"
#include "gpuccl/parts.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {
namespace {

/// Copies the components of a part to where they stand among those of the whole.
void place(const Components& part, std::size_t first, Components& whole) {
  const auto begin = static_cast<std::ptrdiff_t>(first);
  std::copy(part.area.begin(), part.area.end(), whole.area.begin() + begin);
  std::copy(part.box.begin(), part.box.end(), whole.box.begin() + begin);
  std::copy(part.sum.begin(), part.sum.end(), whole.sum.begin() + begin);
}

}  // namespace

std::vector<Slab> cut_into_parts(Extent whole, int parts) {
  const bool of_slices = whole.depth > 1;
  const int layers = of_slices ? whole.depth : whole.height;
  const int used = std::min(parts, layers);
  std::vector<Slab> slabs;
  for (int i = 0; i < parts; ++i) {
    const auto cut = [&](int at) {
      return static_cast<int>(std::int64_t{layers} * std::min(at, used) / std::max(used, 1));
    };
    if (of_slices)
      slabs.push_back({cut(i), cut(i + 1), 0, whole.height});
    else
      slabs.push_back({0, whole.depth, cut(i), cut(i + 1)});
  }
  return slabs;
}

Labeled label_in_parts(BitView image, Connectivity connectivity, int parts,
                       const std::function<Labeled(int part, BitView slab)>& label) {
  const std::vector<Slab> slabs = cut_into_parts(image.extent, parts);
  std::vector<NumberedPart> numbered(slabs.size());
  std::vector<PhaseTimes> phases(slabs.size());
  std::vector<double> statistics_ms(slabs.size());
  run_parts(parts, [&](PartLink& link) {
    const auto i = static_cast<std::size_t>(link.part());
    Labeled labeled = label(link.part(), view_of(slabs[i], image));
    phases[i] = labeled.phases;
    statistics_ms[i] = labeled.statistics_ms;
    numbered[i] = unite_part(link, slabs[i], image.extent, connectivity, std::move(labeled));
  });

  Labeled whole;
  whole.components.resize(numbered.front().count);
  tbb::parallel_for(std::size_t{0}, slabs.size(), [&](std::size_t i) {
    place(numbered[i].components, numbered[i].first, whole.components);
  });
  std::vector<NumberedSlab> labels;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    for (const auto& [at, high] : numbered[i].components.sum_high)
      whole.components.sum_high[numbered[i].first + at] = high;
    add_phases(whole.phases, phases[i]);
    labels.push_back(std::move(numbered[i].labels));
  }
  whole.statistics_ms = *std::max_element(statistics_ms.begin(), statistics_ms.end());
  whole.labels = joined_labels(image.extent, std::move(labels), numbered.front().count);
  return whole;
}

}  // namespace gpuccl
