#include <limits>
#include <utility>

#include "gpuccl/parts.hpp"
#include "slabs/joiner.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {

JoinedSlabs join_slabs(Extent extent, Connectivity connectivity, const std::vector<Slab>& slabs,
                       const std::function<SlabToJoin(std::size_t i)>& labeled, bool of_objects) {
  Joiner joiner(extent, connectivity, std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    SlabToJoin slab = labeled(i);
    if (of_objects)
      joiner.add_objects(slabs[i], slab.labeled, std::move(slab.values));
    else
      joiner.add(slabs[i], slab.labeled, std::move(slab.values), std::move(slab.faces));
  }
  JoinedSlabs joined;
  LabeledValues whole = joiner.finish([&](const SlabComponents& components) {
    for (std::size_t i = 0; i < slabs.size(); ++i)
      joined.numbers.emplace_back(components.map(i), components.map(i) + components.count(i) + 1);
    return nullptr;
  });
  joined.components = std::move(whole.labeled.components);
  joined.values = std::move(whole.values);
  return joined;
}

std::unique_ptr<LabelSource> joined_labels(Extent extent, std::vector<NumberedSlab> slabs, Label count) {
  std::vector<JoinedLabels::Part> parts;
  parts.reserve(slabs.size());
  for (NumberedSlab& one : slabs)
    parts.push_back({rows_of(one.slab, extent), std::move(one.labels), std::move(one.numbers)});
  return std::make_unique<JoinedLabels>(extent, std::move(parts), count);
}

}  // namespace gpuccl
