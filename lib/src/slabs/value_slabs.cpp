#include <algorithm>
#include <functional>
#include <utility>

#include "common/add_phases.hpp"
#include "gpuccl/values.hpp"
#include "slabs/face_contacts.hpp"
#include "slabs/slab_components.hpp"
#include "slabs/slab_geometry.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {

LabeledValues label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    std::function<LabeledValues(const Slab& slab)> label,
                                    std::int64_t max_kept) {
  SlabComponents components(max_kept);
  std::vector<Column<ValueBits>> values;  // of the components of each slab
  LabelRuns last;                         // the face of the slab before
  Label last_offset = 0;
  LabeledValues whole;
  for (const Slab& slab : slabs) {
    LabeledValues here = label(slab);
    const SlabFaces faces(slab, extent, connectivity);
    const LabelSource& labels = *here.labeled.labels;
    const Label offset = components.add(slab, std::move(here.labeled.components));
    values.push_back(std::move(here.values));
    if (faces.before) {
      LabelRuns first;
      labels.list_runs(0, faces.rows, first, nullptr);
      const Column<ValueBits>& of_before = values[values.size() - 2];
      for_each_contact(last, first, faces.of_slices, connectivity, [&](Label one, Label other) {
        if (of_before[one - 1] == values.back()[other - 1])
          components.unite(last_offset + one, offset + other);
      });
    }
    last = {};
    last_offset = offset;
    if (faces.next) labels.list_runs(labels.extent().rows() - faces.rows, faces.rows, last, nullptr);
    add_phases(whole.labeled.phases, here.labeled.phases);
    whole.labeled.statistics_ms += here.labeled.statistics_ms;
  }
  whole.labeled.components = components.number();
  whole.values.resize(whole.labeled.components.size());
  for (std::size_t i = slabs.size(); i-- > 0;)  // the first slab that a component is in says its value
    for (std::size_t k = values[i].size(); k-- > 0;)
      whole.values[components.map(i)[k + 1] - 1] = values[i][k];

  SlabWork work;
  work.label_slab = [label = std::move(label)](const Slab& slab) { return label(slab).labeled; };
  whole.labeled.labels =
      std::make_unique<SlabLabels>(extent, std::move(slabs), std::move(work), std::move(components));
  return whole;
}

}  // namespace gpuccl
