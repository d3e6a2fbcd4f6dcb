#include "gpuccl/slabs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gpuccl/component_bound.hpp"
#include "gpuccl/error.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {
namespace {

/// Whether a slab ends within a slice, at rows that touch those of the next.
bool is_part_of_slice(const Slab& slab, Extent whole) { return slab.y1 - slab.y0 < whole.height; }

void add_phases(PhaseTimes& all, const PhaseTimes& more) {
  for (const PhaseTime& time : more) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const PhaseTime& t) { return t.phase == time.phase; });
    if (same == all.end()) {
      all.push_back(time);
    } else {
      same->milliseconds += time.milliseconds;
      same->launches += time.launches;
    }
  }
}

/// Part `i` of [0, size) cut into `parts` about equal ones.
int cut(int size, std::int64_t i, std::int64_t parts) { return static_cast<int>(size * i / parts); }

std::int64_t parts_of(int layers, std::int64_t layer_elements, std::int64_t max_elements) {
  const std::int64_t layers_each = std::clamp<std::int64_t>(max_elements / layer_elements, 1, layers);
  return (layers + layers_each - 1) / layers_each;
}

}  // namespace

std::vector<Slab> cut_into_slabs(Extent extent, Connectivity connectivity, std::int64_t max_elements) {
  std::vector<Slab> slabs;
  if (extent.elements() == 0) return slabs;
  const std::int64_t slice = static_cast<std::int64_t>(extent.width) * extent.height;
  const bool slices_touch = is_3d(connectivity) && extent.depth > 1;
  if (slices_touch || slice <= max_elements) {
    const std::int64_t parts = parts_of(extent.depth, slice, max_elements);
    for (std::int64_t i = 0; i < parts; ++i)
      slabs.push_back({cut(extent.depth, i, parts), cut(extent.depth, i + 1, parts), 0, extent.height});
    return slabs;
  }
  const std::int64_t parts = parts_of(extent.height, extent.width, max_elements);
  for (int z = 0; z < extent.depth; ++z)
    for (std::int64_t i = 0; i < parts; ++i)
      slabs.push_back({z, z + 1, cut(extent.height, i, parts), cut(extent.height, i + 1, parts)});
  return slabs;
}

Labeled label_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs, SlabWork work) {
  Labeled result;
  if (extent.elements() == 0) {
    result.labels = std::make_unique<LabelImage>(extent, 0);
    return result;
  }
  SlabComponents components(work.max_kept);
  SlabBorder last;  // of the slab before
  for (const Slab& slab : slabs) {
    const bool by_rows = is_part_of_slice(slab, extent);
    const bool joins_before = by_rows ? slab.y0 > 0 : is_3d(connectivity) && slab.z0 > 0;
    const bool joins_next = by_rows ? slab.y1 < extent.height : is_3d(connectivity) && slab.z1 < extent.depth;
    const std::int64_t layer_rows = by_rows ? 1 : extent.height;

    const std::unique_ptr<LabeledSlab> here = read_slab(slab, extent, work);
    const BitView bits = here->bits.view();
    if (work.looks_ahead)
      components.check_memory(static_cast<std::size_t>(most_components(bits, connectivity)) + 1);
    here->labeled = work.label(bits);
    const LabelSource& labels = *here->labeled.labels;
    const Label offset = components.add(slab, std::move(here->labeled.components));
    if (joins_before)
      unite_layers(last, SlabBorder(labels, 0, layer_rows, offset), !by_rows, connectivity,
                   [&](Label a, Label b) { components.unite(a, b); });
    last = joins_next ? SlabBorder(labels, labels.extent().rows() - layer_rows, layer_rows, offset)
                      : SlabBorder();
    add_phases(result.phases, here->labeled.phases);
    result.statistics_ms += here->labeled.statistics_ms;
  }
  result.components = components.number();
  result.labels =
      std::make_unique<SlabLabels>(extent, std::move(slabs), std::move(work), std::move(components));
  return result;
}

Labeled label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                               const std::function<Labeled(BitView slab)>& label) {
  check(image);
  SlabWork work;
  work.label = label;
  work.read = [image](const Slab& slab, BitVolume& out) {
    const std::int64_t first = rows_of(slab, image.extent).begin;
    for (std::int64_t row = 0; row < out.extent().rows(); ++row)
      std::copy_n(image.row(first + row), out.row_pitch(), out.row(row));
  };
  for (std::int64_t most = image.extent.elements() / 2; most >= fewest; most /= 2) {
    try {
      return label_by_slabs(image.extent, connectivity, cut_into_slabs(image.extent, connectivity, most),
                            work);
    } catch (const Error& error) {
      if (error.failure() != Failure::memory) throw;
    }
  }
  throw Error(Failure::memory, "out of memory, even for parts of " + std::to_string(fewest) + " elements");
}

}  // namespace gpuccl
