#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "gpuccl/detail/count_runs.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_labels.hpp"
#include "slabs/slab_merger.hpp"

namespace gpuccl {
namespace {

/// Returns the start of part `i` if [0, size) is cut into `parts` about equal parts.
int cut(int size, std::int64_t i, std::int64_t parts) { return static_cast<int>(size * i / parts); }

std::int64_t parts_of(int layers, std::int64_t layer_elements, std::int64_t max_elements) {
  const std::int64_t layers_each = std::clamp<std::int64_t>(max_elements / layer_elements, 1, layers);
  return (layers + layers_each - 1) / layers_each;
}

Labeling without_elements(Extent extent) {
  Labeling labeled;
  labeled.labels = std::make_unique<LabelImage>(extent, 0);
  return labeled;
}

std::unique_ptr<LabeledSlab> read_slab(const Slab& slab, Extent whole, const SlabWork& work) {
  auto result = std::make_unique<LabeledSlab>();
  result->bits = BitVolume(extent_of(slab, whole));
  work.read(slab, result->bits);
  check(result->bits.view());
  return result;
}

/// Labels the slabs of an image in memory, and keeps their labels.
Labeling label_in_slabs(BitView image, Connectivity connectivity, const std::vector<Slab>& slabs,
                        const std::function<Labeling(BitView slab)>& label) {
  SlabMerger merger(image.extent, connectivity, std::numeric_limits<std::int64_t>::max());
  std::vector<JoinedLabels::Part> parts;
  for (const Slab& slab : slabs) {
    Labeling labeled = label(view_of(slab, image));
    merger.add(slab, labeled);
    parts.push_back({rows_of(slab, image.extent), std::move(labeled.labels), {}});
  }
  return merger
      .finish([&](const SlabComponents& components) {
        for (std::size_t i = 0; i < parts.size(); ++i)
          parts[i].numbers.assign(components.map(i), components.map(i) + components.count(i) + 1);
        return std::make_unique<JoinedLabels>(image.extent, std::move(parts), components.count());
      })
      .labeled;
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

Labeling label_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs, SlabWork work) {
  if (extent.elements() == 0) return without_elements(extent);
  SlabMerger merger(extent, connectivity, work.max_kept);
  for (const Slab& slab : slabs) {
    const std::unique_ptr<LabeledSlab> here = read_slab(slab, extent, work);
    const BitView bits = here->bits.view();
    if (work.looks_ahead)
      merger.check_memory(static_cast<std::size_t>(most_components(bits, connectivity)) + 1);
    here->labeled = work.label(bits);
    merger.add(slab, here->labeled);
  }
  return merger
      .finish([&](SlabComponents components) {
        auto label = [extent, work = std::move(work)](const Slab& slab) {
          std::unique_ptr<LabeledSlab> here = read_slab(slab, extent, work);
          here->labeled = work.label(here->bits.view());
          return here;
        };
        return std::make_unique<LazySlabLabels>(extent, std::move(slabs), std::move(label),
                                                std::move(components));
      })
      .labeled;
}

Labeling label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                                const std::function<Labeling(BitView slab)>& label) {
  check(image);
  if (image.extent.elements() == 0) return without_elements(image.extent);
  for (std::int64_t most = image.extent.elements() / 2; most >= fewest; most /= 2) {
    try {
      return label_in_slabs(image, connectivity, cut_into_slabs(image.extent, connectivity, most), label);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::memory) throw;
    }
  }
  throw Error(ErrorCode::memory, "out of memory, even for slabs of " + std::to_string(fewest) + " pixels");
}

ValueFaces faces_of(const ValueImage& image, const Slab& slab, Extent whole, Connectivity connectivity) {
  ValueFaces faces{image.type(), image.delta(), {}, {}};
  if (image.delta() == 0) return faces;
  const SlabFaces geometry(slab, whole, connectivity);
  const auto rows_from = [&](std::int64_t row) {
    const std::byte* const begin = image.elements(row);
    return std::vector<std::byte>(begin, begin + geometry.bytes(image.type()));
  };
  if (geometry.before) faces.first = rows_from(0);
  if (geometry.next) faces.last = rows_from(image.extent().rows() - geometry.rows);
  return faces;
}

bool is_complete(const ValueFaces& faces, const Slab& slab, Extent whole, Connectivity connectivity) {
  const SlabFaces geometry(slab, whole, connectivity);
  const std::size_t bytes = faces.delta > 0 ? geometry.bytes(faces.type) : 0;
  return faces.first.size() == (geometry.before ? bytes : 0) &&
         faces.last.size() == (geometry.next ? bytes : 0);
}

ValueLabeling label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    std::function<SlabSummary(const Slab& slab)> label, std::int64_t max_kept,
                                    bool of_objects) {
  SlabMerger merger(extent, connectivity, max_kept, of_objects);
  for (const Slab& slab : slabs) {
    SlabSummary here = label(slab);
    merger.add(slab, here.labeled, std::move(here.values), std::move(here.faces));
  }
  return merger.finish([&](SlabComponents components) {
    auto label_again = [label = std::move(label)](const Slab& slab) {
      auto here = std::make_unique<LabeledSlab>();
      here->labeled = label(slab).labeled;
      return here;
    };
    return std::make_unique<LazySlabLabels>(extent, std::move(slabs), std::move(label_again),
                                            std::move(components));
  });
}

RowRange rows_of(const Slab& slab, Extent whole) {
  return {static_cast<std::int64_t>(slab.z0) * whole.height + slab.y0,
          (static_cast<std::int64_t>(slab.z1) - 1) * whole.height + slab.y1};
}

BitView view_of(const Slab& slab, BitView image) {
  return {image.row(rows_of(slab, image.extent).begin), extent_of(slab, image.extent), image.row_pitch};
}

SlabFaces::SlabFaces(const Slab& slab, Extent whole, Connectivity by)
    : of_slices(slab.y1 - slab.y0 == whole.height),
      width(whole.width),
      rows(of_slices ? whole.height : 1),
      connectivity(by) {
  const RowRange range = rows_of(slab, whole);
  const bool touches = range.begin < range.end && (!of_slices || is_3d(by));
  before = touches && (of_slices ? slab.z0 : slab.y0) > 0;
  next = touches && (of_slices ? slab.z1 < whole.depth : slab.y1 < whole.height);
}

}  // namespace gpuccl
