#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "common/components.hpp"
#include "gpuccl/parts.hpp"
#include "parts/boundary_merger.hpp"
#include "parts/message.hpp"
#include "slabs/faces.hpp"

namespace gpuccl {
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
void gather_in_first(PartLink& link, const std::vector<Label>& numbers, GlobalPart& part) {
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
  part.measured = part.measured.empty_like(part.components);
  for (const auto& [of, saved] : measured)
    for (std::size_t i = 0; i < of.size(); ++i) part.measured.add_saved(of[i].origin.label - 1, saved[i]);
}

/// Selects among the components that begin in this part. Returns their final labels, 0 if removed.
std::vector<Label> select_own(PartLink& link, Extent whole, bool per_slice, const SelectionOptions& options,
                              const ComponentValues& values, GlobalPart& part) {
  // Each part applies the filters on its own. It has at most N of the N largest components.
  SelectionOptions by_itself = options;
  by_itself.order = LabelOrder::raster;
  const std::size_t count = part.components.size();
  const auto follow_map = [&](const std::vector<Label>& map) {
    remap(map, part.components.size(), part.values);
    part.measured.select(map);
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

/// The only part: selects in the whole image.
void select_whole(Extent whole, bool per_slice, const SelectionOptions& options,
                  const ComponentValues& values, GlobalPart& part) {
  Selection selected = select(std::move(part.components), whole, per_slice, options, part.measured,
                              {part.values, values.type, values.per_value});
  part.measured.select(selected.map);
  remap(selected.map, selected.components.size(), part.values);
  part.components = std::move(selected.components);
  part.count = static_cast<Label>(part.components.size());
  part.dropped = selected.dropped;
  if (part.labels.numbers.empty()) {
    part.labels.numbers = std::move(selected.map);
  } else if (!selected.map.empty()) {
    for (Label& number : part.labels.numbers) number = selected.map[number];
  }
}

}  // namespace

void select_part(PartLink& link, Extent whole, Connectivity connectivity, const SelectionOptions& options,
                 GlobalPart& part, const ComponentValues& values) {
  if (link.parts() == 1) return select_whole(whole, !is_3d(connectivity), options, values, part);
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

}  // namespace gpuccl
