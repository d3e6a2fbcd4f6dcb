#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "common/components.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "parts/boundary_merger.hpp"
#include "parts/message.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_merger.hpp"

namespace gpuccl {

/// As unite_part(), but stores the components of the part in the arrays of the whole, from
/// `whole`(number of components), at the index of the part's first component. Only high words of sums
/// stay in the part.
GlobalPart unite_part_into(PartLink& link, const Slab& slab, Extent whole_extent, Connectivity connectivity,
                           Labeling labeled, const std::function<Components&(Label count)>& whole);

namespace {

/// Totals of all parts, and of the parts before this one.
struct Totals {
  std::uint64_t before = 0, all = 0;  // components
  std::uint64_t largest = 0;
};

Totals totals_of_parts(PartLink& link, std::uint64_t count, std::uint64_t largest) {
  Message message;
  put(message, std::vector<std::uint64_t>{count, largest});
  Totals totals;
  int part = 0;
  for (Message& other : link.gather(std::move(message))) {
    const auto count_and_largest = TakenMessage(std::move(other)).take<std::uint64_t>();
    if (part++ < link.part()) totals.before += count_and_largest.at(0);
    totals.all += count_and_largest.at(0);
    totals.largest = std::max(totals.largest, count_and_largest.at(1));
  }
  if (totals.all > std::numeric_limits<Label>::max())
    throw Error(ErrorCode::data, std::to_string(totals.all) + " components, more than 4294967295");
  return totals;
}

/// Returns the size of the largest component that begins in the part, including its elements in other parts.
std::uint64_t largest_of(const Components& components, const BoundaryMerger& merger) {
  std::uint64_t largest = 0;
  for (const std::uint64_t area : components.area) largest = std::max(largest, area);
  for (const Component& component : merger.united()) largest = std::max(largest, component.area);
  return largest;
}

/// Writes components one after the other into arrays, which may overwrite components that have been read.
class ComponentWriter {
 public:
  ComponentWriter(Components& to, std::size_t first)
      : area_(to.area.data() + first), box_(to.box.data() + first), sum_(to.sum.data() + first) {}

  void write(const Component& component) {
    area_[written_] = component.area;
    box_[written_] = component.box;
    std::array<std::uint64_t, 3> high;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum_[written_][axis] = static_cast<std::uint64_t>(component.sum[axis]);
      high[axis] = static_cast<std::uint64_t>(component.sum[axis] >> 64);
    }
    if (high != std::array<std::uint64_t, 3>{}) sum_high_.emplace_hint(sum_high_.end(), written_, high);
    ++written_;
  }
  /// Writes a component of a part, in coordinates of the whole. Sums of two words are rare, so they may be
  /// slow.
  void write(const Components& of_part, std::size_t i, const Slab& slab) {
    const std::uint64_t area = of_part.area[i];
    Box box = of_part.box[i];
    std::array<std::uint64_t, 3> sum = of_part.sum[i];
    bool one_word = of_part.sum_high.empty();
    const auto move = [&](std::size_t axis, int by) {
      box.min[axis] += by;
      box.max[axis] += by;
      std::uint64_t more = 0;
      one_word &= !__builtin_mul_overflow(area, static_cast<std::uint64_t>(by), &more);
      one_word &= !__builtin_add_overflow(sum[axis], more, &sum[axis]);
    };
    move(1, slab.y0);
    move(2, slab.z0);
    if (!one_word) return write(placed(of_part, i, slab));
    area_[written_] = area;
    box_[written_] = box;
    sum_[written_] = sum;
    ++written_;
  }
  std::size_t written() const { return written_; }
  std::map<std::size_t, std::array<std::uint64_t, 3>> sum_high() { return std::move(sum_high_); }

 private:
  std::uint64_t* area_;
  Box* box_;
  std::array<std::uint64_t, 3>* sum_;
  std::map<std::size_t, std::array<std::uint64_t, 3>> sum_high_;
  std::size_t written_ = 0;
};

/// `whole`: provides the arrays for components of the whole image. Without it, components stay in the part.
GlobalPart unite(PartLink& link, const Slab& slab, Extent extent, Connectivity connectivity, Labeling labeled,
                 std::span<const ValueBits> values, ValueFaces at_faces,
                 const std::function<Components&(Label count)>& whole) {
  BoundaryMerger merger(link, slab, extent, connectivity, labeled, values, std::move(at_faces));
  merger.unite();
  Components components = std::exchange(labeled.components, {});
  const std::size_t count = components.size() - merger.continued();
  const Totals totals = totals_of_parts(link, count, largest_of(components, merger));

  GlobalPart part;
  part.first = static_cast<Label>(totals.before);
  part.count = static_cast<Label>(totals.all);
  part.largest = totals.largest;
  std::vector<Label>& numbers = part.labels.numbers;
  numbers.reserve(components.size() + 1);
  advise_huge_pages(numbers.data(), (components.size() + 1) * sizeof(Label));
  numbers.resize(components.size() + 1);
  if (!values.empty()) part.values.reserve(count);
  // Works in place: each component is written to its own index or a lower one.
  ComponentWriter writer(whole ? whole(part.count) : components, whole ? part.first : 0);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto label = static_cast<Label>(i + 1);
    const BoundaryMerger::Row row = merger.row_of(label);
    if (row == BoundaryMerger::Row::none) continue;
    if (row == BoundaryMerger::Row::united) {
      writer.write(merger.united(label));
    } else {
      writer.write(components, i, slab);
    }
    if (!values.empty()) part.values.push_back(values[i]);
    numbers[label] = static_cast<Label>(part.first + writer.written());
  }
  if (!whole) {
    components.resize(count);
    part.components = std::move(components);
  }
  part.components.sum_high = writer.sum_high();
  merger.pass_numbers(part);
  part.labels.slab = slab;
  part.labels.labels = std::move(labeled.labels);
  return part;
}

/// The only part: its result is that of the whole image.
GlobalPart whole_of(const Slab& slab, Labeling labeled, UninitializedVector<ValueBits> values) {
  GlobalPart part;
  part.count = static_cast<Label>(labeled.components.size());
  for (const std::uint64_t area : labeled.components.area) part.largest = std::max(part.largest, area);
  part.labels = {slab, std::move(labeled.labels), {}};
  part.components = std::move(labeled.components);
  part.values = std::move(values);
  return part;
}

}  // namespace

GlobalPart unite_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                      Labeling labeled, UninitializedVector<ValueBits> values, ValueFaces at_faces) {
  if (link.parts() == 1) return whole_of(slab, std::move(labeled), std::move(values));
  GlobalPart part =
      unite(link, slab, whole, connectivity, std::move(labeled), values, std::move(at_faces), {});
  part.values_of_labels = std::move(values);
  return part;
}

GlobalPart unite_part_into(PartLink& link, const Slab& slab, Extent whole_extent, Connectivity connectivity,
                           Labeling labeled, const std::function<Components&(Label count)>& whole) {
  return unite(link, slab, whole_extent, connectivity, std::move(labeled), {}, {}, whole);
}

namespace {

/// The components of the whole image, allocated when their number is known.
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

Labeling label_in_parts(BitView image, Connectivity connectivity, int parts,
                        const std::function<Labeling(int part, BitView slab)>& label) {
  const std::vector<Slab> slabs = cut_into_parts(image.extent, parts);
  std::vector<GlobalPart> numbered(slabs.size());
  std::vector<PhaseTimes> phases(slabs.size());
  std::vector<double> statistics_ms(slabs.size());
  SharedComponents components;
  run_parts(parts, [&](PartLink& link) {
    const auto i = static_cast<std::size_t>(link.part());
    Labeling labeled = label(link.part(), view_of(slabs[i], image));
    phases[i] = labeled.phases;
    statistics_ms[i] = labeled.statistics_ms;
    if (parts == 1) {
      numbered[i] = unite_part(link, slabs[i], image.extent, connectivity, std::move(labeled));
      return;
    }
    numbered[i] = unite_part_into(link, slabs[i], image.extent, connectivity, std::move(labeled),
                                  [&](Label count) -> Components& { return components.of(count); });
  });

  Labeling whole;
  whole.components = parts == 1 ? std::move(numbered.front().components) : components.take();
  std::vector<RelabeledSlab> labels;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    for (const auto& [at, high] : numbered[i].components.sum_high)
      whole.components.sum_high[numbered[i].first + at] = high;
    for (const PhaseTime& time : phases[i]) add_to(whole.phases, time);
    labels.push_back(std::move(numbered[i].labels));
  }
  whole.statistics_ms = *std::max_element(statistics_ms.begin(), statistics_ms.end());
  whole.labels = joined_labels(image.extent, std::move(labels), numbered.front().count);
  return whole;
}

}  // namespace gpuccl
