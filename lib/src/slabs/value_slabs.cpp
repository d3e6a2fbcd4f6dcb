#include <functional>
#include <utility>

#include "gpuccl/parts.hpp"
#include "slabs/joiner.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {

namespace {

using LabelSlab = std::function<SlabToJoin(const Slab& slab)>;

LabeledValues finish(Joiner& joiner, Extent extent, std::vector<Slab> slabs, LabelSlab label) {
  return joiner.finish([&](SlabComponents components) {
    SlabWork work;
    work.label_slab = [label = std::move(label)](const Slab& slab) { return label(slab).labeled; };
    return std::make_unique<SlabLabels>(extent, std::move(slabs), std::move(work), std::move(components));
  });
}

}  // namespace

LabeledValues label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    LabelSlab label, std::int64_t max_kept) {
  Joiner joiner(extent, connectivity, max_kept);
  for (const Slab& slab : slabs) {
    SlabToJoin here = label(slab);
    joiner.add(slab, here.labeled, std::move(here.values), std::move(here.faces));
  }
  return finish(joiner, extent, std::move(slabs), std::move(label));
}

LabeledValues label_objects_by_slabs(Extent extent, std::vector<Slab> slabs, LabelSlab label,
                                     std::int64_t max_kept) {
  Joiner joiner(extent, Connectivity::c26, max_kept);  // which is not used
  for (const Slab& slab : slabs) {
    SlabToJoin here = label(slab);
    joiner.add_objects(slab, here.labeled, std::move(here.values));
  }
  return finish(joiner, extent, std::move(slabs), std::move(label));
}

}  // namespace gpuccl
