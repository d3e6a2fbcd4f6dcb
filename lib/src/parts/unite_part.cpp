#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

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
    for (const PieceContact& contact : contacts_)
      numbers[pieces_[contact.piece].origin] = before.at(contact.before);
    return numbers;
  }
  /// Returns what it sends: those of the components at the last face.
  std::vector<Label> send_numbers(const std::vector<Label>& numbers) {
    std::vector<Label> at_last;
    if (!geometry_.next) return at_last;
    for (const Label label : labels_at_last_.labels()) at_last.push_back(numbers[label]);
    Message message;
    put(message, at_last);
    link_.send(link_.part() + 1, std::move(message));
    return at_last;
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
  std::vector<PieceContact> contacts_;
  Group group_;
  std::vector<Piece> pieces_;  // by their numbers in met_
};

/// What all parts have found, and those before this one.
struct Found {
  std::uint64_t before = 0, all = 0;  // components
  std::uint64_t largest = 0;
};

Found find_all(PartLink& link, const Components& mine) {
  std::vector<std::uint64_t> count_and_largest{mine.size(), 0};
  for (const std::uint64_t area : mine.area) count_and_largest[1] = std::max(count_and_largest[1], area);
  Message message;
  put(message, count_and_largest);
  Found found;
  int part = 0;
  for (Message& other : link.gather(std::move(message))) {
    TakenMessage(std::move(other)).take(count_and_largest);
    if (part++ < link.part()) found.before += count_and_largest.at(0);
    found.all += count_and_largest.at(0);
    found.largest = std::max(found.largest, count_and_largest.at(1));
  }
  if (found.all > std::numeric_limits<Label>::max())
    throw Error(Failure::data, std::to_string(found.all) + " components, more than 4294967295");
  return found;
}

}  // namespace

NumberedPart unite_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                        Labeled labeled, std::span<const ValueBits> values) {
  Faces faces(link, slab, whole, connectivity, labeled, values);
  faces.unite();
  const Components components = std::exchange(labeled.components, {});
  const auto mine = static_cast<std::uint64_t>(link.part());
  std::vector<Label> numbers(components.size() + 1);
  NumberedPart part;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto label = static_cast<Label>(i + 1);
    const Piece* const piece = faces.piece(label);
    if (piece != nullptr && piece->origin != Origin{mine, label}) continue;
    part.components.push_back(piece != nullptr ? piece->known : placed(components, i, slab));
    if (!values.empty()) part.values.push_back(values[i]);
    numbers[label] = static_cast<Label>(part.components.size());
  }
  const Found found = find_all(link, part.components);
  part.first = static_cast<Label>(found.before);
  part.count = static_cast<Label>(found.all);
  part.largest = found.largest;
  for (Label& number : numbers)
    if (number != 0) number += part.first;

  const std::map<Origin, Label> before = faces.receive_numbers();
  std::map<Label, const Piece*> begun_before;
  for (std::size_t label = 1; label < numbers.size(); ++label) {
    const Piece* const piece = faces.piece(static_cast<Label>(label));
    if (piece == nullptr) continue;
    if (piece->origin.part == mine) {
      numbers[label] = numbers[piece->origin.label];
    } else {
      numbers[label] = before.at(piece->origin);
      begun_before[numbers[label]] = piece;
    }
  }
  for (const auto& [label, piece] : begun_before) {
    part.before.push_back(label);
    part.components_before.push_back(piece->known);
  }
  part.at_last = faces.send_numbers(numbers);
  part.labels = {slab, std::move(labeled.labels), std::move(numbers)};
  return part;
}

}  // namespace gpuccl
