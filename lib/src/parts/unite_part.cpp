#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
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
  explicit ComponentWriter(Components& to)
      : area_(to.area.data()), box_(to.box.data()), sum_(to.sum.data()) {}

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

}  // namespace

PartResult several_parts::unite_part(PartLink& link, const Slab& slab, Extent extent,
                                     Connectivity connectivity, Labeling labeled,
                                     UninitializedVector<ValueBits> values, ValueFaces at_faces) {
  BoundaryMerger merger(link, slab, extent, connectivity, labeled, values, std::move(at_faces));
  merger.unite();
  Components components = std::exchange(labeled.components, {});
  const std::size_t count = components.size() - merger.continued();
  const Totals totals = totals_of_parts(link, count, largest_of(components, merger));

  PartResult part;
  part.first = static_cast<Label>(totals.before);
  part.count = static_cast<Label>(totals.all);
  part.largest = totals.largest;
  std::vector<Label>& numbers = part.labels.numbers;
  numbers.reserve(components.size() + 1);
  advise_huge_pages(numbers.data(), (components.size() + 1) * sizeof(Label));
  numbers.resize(components.size() + 1);
  if (!values.empty()) part.values.reserve(count);
  // Works in place: each component is written to its own index or a lower one.
  ComponentWriter writer(components);
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
  components.resize(count);
  part.components = std::move(components);
  part.components.sum_high = writer.sum_high();
  merger.pass_numbers(part);
  part.labels.slab = slab;
  part.labels.labels = std::move(labeled.labels);
  part.values_of_labels = std::move(values);
  return part;
}

namespace {

/// Returns the ranks of this part's components among those of all parts, largest first, in the order of
/// `areas`. Returns 0 for components beyond the first `most` of all or, given `values`, of their value.
std::vector<std::uint64_t> ranks_by_size(PartLink& link, const std::vector<std::uint64_t>& areas,
                                         const std::vector<ValueBits>& values, std::uint64_t most) {
  Message mine;
  put(mine, areas);
  put(mine, values);
  std::vector<std::uint64_t> all;
  std::vector<ValueBits> all_values;
  std::size_t begin = 0;
  int part = 0;
  for (Message& message : link.gather(std::move(mine))) {
    if (part++ == link.part()) begin = all.size();
    TakenMessage taken(std::move(message));
    const auto more = taken.take<std::uint64_t>();
    const auto more_values = taken.take<ValueBits>();
    all.insert(all.end(), more.begin(), more.end());
    all_values.insert(all_values.end(), more_values.begin(), more_values.end());
  }
  std::vector<std::uint64_t> order(all.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return all[a] > all[b]; });
  if (most != 0) keep_first(order, most, all_values);
  std::vector<std::uint64_t> ranks(areas.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] - begin < areas.size()) ranks[order[i] - begin] = i + 1;
  return ranks;
}

/// Moves all components to part 0, to the index given by `numbers`: final labels of the components that this
/// part has kept.
void gather_in_first(PartLink& link, const std::vector<Label>& numbers, PartResult& part) {
  std::vector<OpenComponent> pieces;
  SavedSums sums;
  for (const Label number : numbers) {
    if (number == 0) continue;
    if (part.measured.any()) sums.add(part.measured, pieces.size());
    pieces.push_back({{0, number}, part.components[pieces.size()]});
  }
  Message mine;
  put(mine, pieces);
  put(mine, std::vector<ValueBits>(part.values.begin(), part.values.end()));
  sums.put_into(mine);
  part.components = {};
  part.values = {};
  link.send(0, std::move(mine));
  part.first = part.count;
  if (link.part() > 0) return;
  part.first = 0;
  part.components.resize(part.count);
  std::vector<std::pair<std::vector<OpenComponent>, SavedSums>> measured;
  for (int from = 0; from < link.parts(); ++from) {
    TakenMessage message(link.receive(from));
    message.take(pieces);
    const auto values = message.take<ValueBits>();
    if (!values.empty()) part.values.resize(part.count);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t at = pieces[i].origin.label - 1;
      part.components.set(at, pieces[i].known);
      if (!values.empty()) part.values[at] = values.at(i);
    }
    measured.emplace_back(std::move(pieces), SavedSums(message));
    pieces = {};
  }
  if (!part.measured.any()) return;
  part.measured = empty_like(part.measured, part.components);
  for (const auto& [of, saved] : measured)
    for (std::size_t i = 0; i < of.size(); ++i) add_saved(part.measured, of[i].origin.label - 1, saved[i]);
}

/// Selects among the components that begin in this part. Returns their final labels, 0 if removed.
std::vector<Label> select_own(PartLink& link, Extent whole, bool per_slice, const SelectionOptions& options,
                              const ComponentValues& values, PartResult& part) {
  // Each part applies the filters on its own. It has at most N of the N largest components.
  SelectionOptions by_itself = options;
  by_itself.order = LabelOrder::raster;
  const std::size_t count = part.components.size();
  const auto follow_map = [&](const std::vector<Label>& map) {
    remap(map, part.components.size(), part.values);
    renumber(part.measured, map);
  };
  Selection kept = select(std::move(part.components), whole, per_slice, by_itself, part.measured,
                          {part.values, values.type, values.per_value});
  part.components = std::move(kept.components);
  follow_map(kept.map);

  const bool by_size = options.order == LabelOrder::size;
  std::vector<std::uint64_t> ranks;
  if (by_size || options.largest != 0) {
    const UninitializedVector<std::uint64_t>& area = part.components.area;
    std::vector<ValueBits> bits;
    if (values.per_value) bits.assign(part.values.begin(), part.values.end());
    ranks = ranks_by_size(link, {area.begin(), area.end()}, bits, options.largest);
    Components stay;
    std::vector<Label> map(ranks.size() + 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] == 0) continue;
      stay.push_back(part.components[i]);
      map[i + 1] = static_cast<Label>(stay.size());
    }
    part.components = std::move(stay);
    follow_map(map);
  }
  const PartLink::Sums sums = link.scan(part.components.size());
  part.count = static_cast<Label>(sums.all);
  part.first = static_cast<Label>(sums.before);
  Label last = part.first;
  std::vector<Label> numbers;  // final labels of the components that this part has kept
  if (ranks.empty()) {
    numbers.resize(part.components.size());
    std::iota(numbers.begin(), numbers.end(), last + 1);
  }
  for (const std::uint64_t rank : ranks)
    numbers.push_back(rank == 0 ? 0 : by_size ? static_cast<Label>(rank) : ++last);
  if (by_size) gather_in_first(link, numbers, part);
  std::vector<Label> of_all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Label by_part = kept.map.empty() ? static_cast<Label>(i + 1) : kept.map[i + 1];
    of_all[i] = by_part == 0 ? 0 : numbers[by_part - 1];
  }
  return of_all;
}

}  // namespace

void several_parts::select_part(PartLink& link, Extent whole, Connectivity connectivity,
                                const SelectionOptions& options, PartResult& part,
                                const ComponentValues& values) {
  if (options == SelectionOptions()) return;
  const Label first = part.first, all = part.count;
  const std::vector<Label> numbers = select_own(link, whole, !is_3d(connectivity), options, values, part);
  part.dropped = all - part.count;

  const SlabFaces faces(part.labels.slab, whole, connectivity);
  std::map<Label, Label> of_before;  // of labels of components that begin before this part
  if (faces.before) {
    TakenMessage message(link.receive(link.part() - 1));
    const auto old = message.take<Label>(), now = message.take<Label>();
    for (std::size_t i = 0; i < old.size(); ++i) of_before[old[i]] = now.at(i);
  }
  const auto number = [&](Label label) {
    if (label == 0) return label;
    return label > first ? numbers[label - first - 1] : of_before.at(label);
  };
  for (Label& label : part.labels.numbers) label = number(label);
  if (!faces.next) return;
  std::vector<Label> now;
  for (const Label label : part.at_last) now.push_back(number(label));
  Message message;
  put(message, part.at_last);
  put(message, now);
  link.send(link.part() + 1, std::move(message));
}

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

std::vector<RowRange> rows_of_parts(Extent whole, int parts) {
  std::vector<RowRange> rows;
  for (const Slab& slab : cut_into_parts(whole, parts)) rows.push_back(rows_of(slab, whole));
  return rows;
}

}  // namespace gpuccl
