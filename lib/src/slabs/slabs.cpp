#include "gpuccl/slabs.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "gpuccl/component_bound.hpp"
#include "gpuccl/error.hpp"
#include "slabs/joined_labels.hpp"
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

/// Joins the components of slabs that come one after the other.
class Joiner {
 public:
  Joiner(Extent extent, Connectivity connectivity, std::int64_t max_kept)
      : extent_(extent), connectivity_(connectivity), components_(max_kept) {}

  /// As SlabComponents::check_memory().
  void check_memory(std::size_t more) const { components_.check_memory(more); }

  /// Takes all of `labeled` but its labels.
  void add(const Slab& slab, Labeled& labeled) {
    const bool by_rows = is_part_of_slice(slab, extent_);
    const bool joins_before = by_rows ? slab.y0 > 0 : is_3d(connectivity_) && slab.z0 > 0;
    const bool joins_next =
        by_rows ? slab.y1 < extent_.height : is_3d(connectivity_) && slab.z1 < extent_.depth;
    const std::int64_t layer_rows = by_rows ? 1 : extent_.height;

    const LabelSource& labels = *labeled.labels;
    const Label offset = components_.add(slab, std::move(labeled.components));
    if (joins_before) {
      const SlabBorder first(labels, 0, layer_rows, offset);
      components_.check_memory(0, first.bytes() + last_.bytes());
      unite_layers(last_, first, !by_rows, connectivity_, [&](Label a, Label b) { components_.unite(a, b); });
    }
    last_ = joins_next ? SlabBorder(labels, labels.extent().rows() - layer_rows, layer_rows, offset)
                       : SlabBorder();
    add_phases(whole_.phases, labeled.phases);
    whole_.statistics_ms += labeled.statistics_ms;
  }

  /// The whole once all slabs have been added; make_labels(components) makes its labels.
  template <class MakeLabels>
  Labeled finish(MakeLabels make_labels) {
    whole_.components = components_.number();
    whole_.labels = make_labels(std::move(components_));
    return std::move(whole_);
  }

 private:
  Extent extent_;
  Connectivity connectivity_;
  SlabComponents components_;
  SlabBorder last_;  // of the slab before
  Labeled whole_;
};

Labeled without_elements(Extent extent) {
  Labeled labeled;
  labeled.labels = std::make_unique<LabelImage>(extent, 0);
  return labeled;
}

/// Labels the slabs of an image in memory, and keeps their labels.
Labeled label_in_slabs(BitView image, Connectivity connectivity, const std::vector<Slab>& slabs,
                       const std::function<Labeled(BitView slab)>& label) {
  Joiner joiner(image.extent, connectivity, std::numeric_limits<std::int64_t>::max());
  std::vector<RowRange> rows;
  std::vector<std::unique_ptr<LabelSource>> labels;
  for (const Slab& slab : slabs) {
    rows.push_back(rows_of(slab, image.extent));
    const Extent extent{image.extent.width, slab.y1 - slab.y0, slab.z1 - slab.z0};
    Labeled labeled = label({image.row(rows.back().begin), extent, image.row_pitch});
    joiner.add(slab, labeled);
    labels.push_back(std::move(labeled.labels));
  }
  return joiner.finish([&](SlabComponents components) {
    return std::make_unique<JoinedLabels>(image.extent, std::move(rows), std::move(labels),
                                          std::move(components));
  });
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
  if (extent.elements() == 0) return without_elements(extent);
  Joiner joiner(extent, connectivity, work.max_kept);
  for (const Slab& slab : slabs) {
    const std::unique_ptr<LabeledSlab> here = read_slab(slab, extent, work);
    const BitView bits = here->bits.view();
    if (work.looks_ahead)
      joiner.check_memory(static_cast<std::size_t>(most_components(bits, connectivity)) + 1);
    here->labeled = work.label(bits);
    joiner.add(slab, here->labeled);
  }
  return joiner.finish([&](SlabComponents components) {
    return std::make_unique<SlabLabels>(extent, std::move(slabs), std::move(work), std::move(components));
  });
}

Labeled label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                               const std::function<Labeled(BitView slab)>& label) {
  check(image);
  if (image.extent.elements() == 0) return without_elements(image.extent);
  for (std::int64_t most = image.extent.elements() / 2; most >= fewest; most /= 2) {
    try {
      return label_in_slabs(image, connectivity, cut_into_slabs(image.extent, connectivity, most), label);
    } catch (const Error& error) {
      if (error.failure() != Failure::memory) throw;
    }
  }
  throw Error(Failure::memory, "out of memory, even for parts of " + std::to_string(fewest) + " elements");
}

}  // namespace gpuccl
