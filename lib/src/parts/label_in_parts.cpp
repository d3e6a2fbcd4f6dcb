#include <algorithm>
#include <mutex>

#include "common/add_phases.hpp"
#include "common/large_components.hpp"
#include "gpuccl/parts.hpp"
#include "parts/unite_part.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {
namespace {

/// The components of a whole, made when the first part knows how many there are.
class SharedComponents {
 public:
  Components& of(Label count) {
    std::call_once(made_, [&] { components_ = large_components(count); });
    return components_;
  }
  Components take() { return std::move(components_); }

 private:
  std::once_flag made_;
  Components components_;
};

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
  SharedComponents components;
  run_parts(parts, [&](PartLink& link) {
    const auto i = static_cast<std::size_t>(link.part());
    Labeled labeled = label(link.part(), view_of(slabs[i], image));
    phases[i] = labeled.phases;
    statistics_ms[i] = labeled.statistics_ms;
    if (parts == 1) {
      numbered[i] = unite_part(link, slabs[i], image.extent, connectivity, std::move(labeled));
      return;
    }
    numbered[i] = unite_part_into(link, slabs[i], image.extent, connectivity, std::move(labeled),
                                  [&](Label count) -> Components& { return components.of(count); });
  });

  Labeled whole;
  whole.components = parts == 1 ? std::move(numbered.front().components) : components.take();
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
