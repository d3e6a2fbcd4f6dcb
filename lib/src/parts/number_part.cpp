#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "common/keep_first.hpp"
#include "common/union_find.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/parts.hpp"
#include "parts/group.hpp"
#include "parts/message.hpp"
#include "slabs/face_contacts.hpp"
#include "slabs/slab_components.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Numbers labels from 0 on, in the order they are met.
class MetLabels {
 public:
  explicit MetLabels(std::size_t count) : number_(count + 1, kNone) {}

  std::uint32_t meet(Label label) {
    if (number_[label] == kNone) {
      number_[label] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
    }
    return number_[label];
  }
  /// kNone if it was not met.
  std::uint32_t number(Label label) const { return number_[label]; }
  const std::vector<Label>& labels() const { return labels_; }

 private:
  std::vector<std::uint32_t> number_;
  std::vector<Label> labels_;
};

/// Runs of a face with their labels replaced by the numbers of what was met.
void meet_all(LabelRuns& face, MetLabels& met) {
  for (LabelRun& run : face.runs) run.label = met.meet(run.label);
}

/// The components of a part that meet those of others.
class Faces {
 public:
  /// `values`: of the components, of an image of values.
  Faces(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity, const Labeled& labeled,
        std::span<const ValueBits> values)
      : link_(link),
        geometry_(slab, whole, connectivity),
        values_(values),
        met_(labeled.components.size()),
        labels_at_last_(0) {
    LabelRuns runs;
    if (geometry_.next) send_last(*labeled.labels, labeled.components.size());
    if (geometry_.before) {
      labeled.labels->list_runs(0, geometry_.rows, runs, nullptr);
      meet_all(runs, met_);
      find_contacts(runs, connectivity);
    }
    const auto part = static_cast<std::uint64_t>(link.part());
    for (const Label label : met_.labels())
      group_.pieces.push_back({{part, label}, placed(labeled.components, label - std::size_t{1}, slab)});
  }

  /// All pieces as parts of the whole: groups of parts become one pairwise, then the way back.
  void unite() {
    struct Step {
      int other;
      MergedGroups merged;
    };
    std::vector<Step> steps;
    const int part = link_.part(), parts = link_.parts();
    int step = 1;
    for (; step < parts && part % (2 * step) == 0; step *= 2) {
      if (part + step >= parts) continue;
      steps.push_back({part + step, {group_, receive_group(part + step)}});
      group_ = steps.back().merged.take();
    }
    if (part > 0) {
      send_group(part - step);
      TakenMessage(link_.receive(part - step)).take(pieces_);
    } else {
      pieces_ = std::move(group_.pieces);
    }
    for (; !steps.empty(); steps.pop_back()) {
      MergedGroups::Halves halves = steps.back().merged.split(pieces_);
      Message message;
      put(message, halves.right);
      link_.send(steps.back().other, std::move(message));
      pieces_ = std::move(halves.left);
    }
  }

  /// What is known of a component that meets others; null if it does not.
  const Piece* piece(Label label) const {
    const std::uint32_t number = met_.number(label);
    return number == kNone ? nullptr : &pieces_[number];
  }

  /// Numbers of the components at the first face, by where they begin, from the part before.
  std::map<Origin, Label> receive_numbers() {
    std::map<Origin, Label> numbers;
    if (!geometry_.before) return numbers;
    const auto before = TakenMessage(link_.receive(link_.part() - 1)).take<Label>();
    for (const Contact& contact : contacts_)
      numbers[pieces_[contact.piece].origin] = before.at(contact.before);
    return numbers;
  }
  void send_numbers(const std::vector<Label>& numbers) {
    if (!geometry_.next) return;
    std::vector<Label> at_last;
    for (const Label label : labels_at_last_.labels()) at_last.push_back(numbers[label]);
    Message message;
    put(message, at_last);
    link_.send(link_.part() + 1, std::move(message));
  }

 private:
  void send_last(const LabelSource& labels, std::size_t count) {
    LabelRuns runs;
    labels.list_runs(labels.extent().rows() - geometry_.rows, geometry_.rows, runs, nullptr);
    labels_at_last_ = MetLabels(count);
    meet_all(runs, labels_at_last_);
    for (const Label label : labels_at_last_.labels()) group_.last.push_back(met_.meet(label));
    Message message;
    put(message, runs.runs);
    put(message, runs.ends);
    put(message, values_of(labels_at_last_));
    link_.send(link_.part() + 1, std::move(message));
  }

  /// Only contacts that join what no others do: as many as there are components at most.
  void find_contacts(const LabelRuns& here, Connectivity connectivity) {
    TakenMessage message(link_.receive(link_.part() - 1));
    LabelRuns before;
    message.take(before.runs);
    message.take(before.ends);
    const auto values_before = message.take<ValueBits>(), values_here = values_of(met_);
    Label count = 0;
    for (const LabelRun& run : before.runs) count = std::max(count, run.label + 1);
    std::vector<Label> links(count + met_.labels().size());
    std::iota(links.begin(), links.end(), Label{0});
    const UnionFind<ZeroBased, OneThread, Walk::halving> sets(links.data());
    for_each_contact(before, here, geometry_.of_slices, connectivity, [&](Label a, Label b) {
      if (!values_here.empty() && values_before.at(a) != values_here[b]) return;
      if (sets.find(a) == sets.find(count + b)) return;
      sets.unite(a, count + b);
      group_.contacts.push_back({a, b});
    });
    contacts_ = group_.contacts;
  }

  std::vector<ValueBits> values_of(const MetLabels& met) const {
    std::vector<ValueBits> values;
    if (!values_.empty())
      for (const Label label : met.labels()) values.push_back(values_[label - std::size_t{1}]);
    return values;
  }

  void send_group(int to) {
    Message message;
    put(message, group_.pieces);
    put(message, group_.contacts);
    put(message, group_.last);
    group_ = {};
    link_.send(to, std::move(message));
  }
  Group receive_group(int from) {
    TakenMessage message(link_.receive(from));
    Group group;
    message.take(group.pieces);
    message.take(group.contacts);
    message.take(group.last);
    return group;
  }

  PartLink& link_;
  const SlabFaces geometry_;
  const std::span<const ValueBits> values_;
  MetLabels met_;             // at either face
  MetLabels labels_at_last_;  // by what the next part calls them
  std::vector<Contact> contacts_;
  Group group_;
  std::vector<Piece> pieces_;  // by their numbers in met_
};

/// The components that begin in this part.
struct Owned {
  std::vector<Label> labels;
  Components components;
  Column<ValueBits> values;
};

Owned owned(int part, const Components& components, std::span<const ValueBits> values, const Slab& slab,
            const Faces& faces) {
  Owned result;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto label = static_cast<Label>(i + 1);
    const Piece* const piece = faces.piece(label);
    if (piece != nullptr && piece->origin != Origin{static_cast<std::uint64_t>(part), label}) continue;
    result.labels.push_back(label);
    result.components.push_back(piece != nullptr ? piece->known : placed(components, i, slab));
    if (!values.empty()) result.values.push_back(values[i]);
  }
  return result;
}

/// What all parts have found.
struct Found {
  std::uint64_t components = 0, largest = 0;
};

Found find_all(PartLink& link, const Components& mine) {
  Found found{mine.size(), 0};
  for (const std::uint64_t area : mine.area) found.largest = std::max(found.largest, area);
  Message message;
  put(message, std::vector<Found>{found});
  found = {};
  for (Message& other : link.gather(std::move(message)))
    for (const Found& one : TakenMessage(std::move(other)).take<Found>())
      found = {found.components + one.components, std::max(found.largest, one.largest)};
  return found;
}

/// Which of a part's components stay among those of all parts, and the number of each (0: dropped).
struct Numbered {
  std::vector<Label> numbers;  // of each that begins in the part
  Components components;       // that stay
  Column<ValueBits> values;    // of these
  Label first = 0, count = 0;  // number of the first of these less one, components of the whole
};

Label checked_count(std::uint64_t count) {
  if (count > std::numeric_limits<Label>::max())
    throw Error(Failure::data, std::to_string(count) + " components, more than 4294967295");
  return static_cast<Label>(count);
}

/// Ranks of this part's components among all, the largest first, in the order of `areas`; 0 for what is not
/// among the `most` first, of all or, given `values`, of each value.
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

/// All components to part 0, each to the place of its number.
void gather_in_first(PartLink& link, const std::vector<Label>& numbers, Numbered& part) {
  std::vector<Piece> pieces;
  std::size_t next = 0;
  for (const Label number : numbers)
    if (number != 0) pieces.push_back({{0, number}, part.components[next++]});
  part.components = {};
  Message mine;
  put(mine, pieces);
  put(mine, std::vector<ValueBits>(part.values.begin(), part.values.end()));
  part.values = {};
  link.send(0, std::move(mine));
  part.first = part.count;
  if (link.part() > 0) return;
  part.first = 0;
  part.components.resize(part.count);
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
  }
}

/// `values`: of the components, of an image of values; `apart` as that of ComponentValues.
Numbered number(PartLink& link, Owned mine, const ComponentValues& values, Extent whole, bool per_slice,
                const SelectionOptions& options) {
  // What each part drops by itself; of the largest of all, each part has no more than that many.
  SelectionOptions by_itself = options;
  by_itself.order = LabelOrder::raster;
  const std::size_t count = mine.components.size();
  Selection kept = select(std::move(mine.components), whole, per_slice, by_itself, Measured(),
                          {mine.values, values.type, values.apart});
  Numbered result;
  result.components = std::move(kept.components);
  result.values = std::move(mine.values);
  follow(kept.map, result.components.size(), result.values);

  const bool by_size = options.order == LabelOrder::size;
  std::vector<std::uint64_t> ranks;
  if (by_size || options.largest != 0) {
    const Column<std::uint64_t>& area = result.components.area;
    std::vector<ValueBits> apart;
    if (values.apart) apart.assign(result.values.begin(), result.values.end());
    ranks = ranks_by_size(link, {area.begin(), area.end()}, apart, options.largest);
    Components stay;
    std::vector<Label> map(ranks.size() + 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] == 0) continue;
      stay.push_back(result.components[i]);
      map[i + 1] = static_cast<Label>(stay.size());
    }
    result.components = std::move(stay);
    follow(map, result.components.size(), result.values);
  }
  const PartLink::Sums sums = link.scan(result.components.size());
  result.count = checked_count(sums.all);
  result.first = static_cast<Label>(sums.before);
  Label last = result.first;
  std::vector<Label> numbers;  // of what the part kept by itself
  if (ranks.empty()) {
    numbers.resize(result.components.size());
    std::iota(numbers.begin(), numbers.end(), last + 1);
  }
  for (const std::uint64_t rank : ranks)
    numbers.push_back(rank == 0 ? 0 : by_size ? static_cast<Label>(rank) : ++last);
  if (by_size) gather_in_first(link, numbers, result);
  result.numbers.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Label by_part = kept.map.empty() ? static_cast<Label>(i + 1) : kept.map[i + 1];
    result.numbers[i] = by_part == 0 ? 0 : numbers[by_part - 1];
  }
  return result;
}

}  // namespace

NumberedPart number_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                         Labeled labeled, const SelectionOptions& selection, const ComponentValues& values) {
  Faces faces(link, slab, whole, connectivity, labeled, values.bits);
  faces.unite();
  const std::size_t count = labeled.components.size();
  Owned mine = owned(link.part(), std::exchange(labeled.components, {}), values.bits, slab, faces);
  const Found found = find_all(link, mine.components);
  const std::vector<Label> labels = std::move(mine.labels);
  Numbered numbered = number(link, std::move(mine), values, whole, !is_3d(connectivity), selection);

  std::vector<Label> numbers(count + 1);
  for (std::size_t i = 0; i < labels.size(); ++i) numbers[labels[i]] = numbered.numbers[i];
  const std::map<Origin, Label> before = faces.receive_numbers();
  for (std::size_t i = 1; i <= count; ++i) {
    const Piece* const piece = faces.piece(static_cast<Label>(i));
    if (piece == nullptr) continue;
    const bool begins_here = piece->origin.part == static_cast<std::uint64_t>(link.part());
    numbers[i] = begins_here ? numbers[piece->origin.label] : before.at(piece->origin);
  }
  faces.send_numbers(numbers);

  return {{slab, std::move(labeled.labels), std::move(numbers)},
          std::move(numbered.components),
          std::move(numbered.values),
          numbered.first,
          numbered.count,
          found.components - numbered.count,
          found.largest};
}

}  // namespace gpuccl
