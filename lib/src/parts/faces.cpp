#include "parts/faces.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/union_find.hpp"
#include "gpuccl/huge_pages.hpp"
#include "parts/message.hpp"
#include "slabs/face_contacts.hpp"
#include "slabs/slab_components.hpp"

namespace gpuccl {
namespace {

/// Runs of a face with their labels replaced by the numbers of what was met.
void meet_all(LabelRuns& face, MetLabels& met) {
  for (LabelRun& run : face.runs) run.label = met.meet(run.label);
}

}  // namespace

MetLabels::MetLabels(std::size_t count) : number_(make_large_for_overwrite<std::uint32_t>(count + 1)) {
  std::fill_n(number_.get(), count + 1, kNone);
}

Faces::Faces(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
             const Labeled& labeled, std::span<const ValueBits> values)
    : link_(link), geometry_(slab, whole, connectivity), values_(values), met_(labeled.components.size()) {
  if (geometry_.next) send_last(*labeled.labels);
  if (geometry_.before) {
    LabelRuns runs;
    labeled.labels->list_runs(0, geometry_.rows, runs, nullptr);
    meet_all(runs, met_);
    find_contacts(runs, connectivity);
  }
  const auto part = static_cast<std::uint64_t>(link.part());
  group_.pieces.reserve(met_.labels().size());
  for (const Label label : met_.labels())
    group_.pieces.push_back({{part, label}, placed(labeled.components, label - std::size_t{1}, slab)});
}

void Faces::unite() {
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
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    continued_ += !begins_here(pieces_[i]) || pieces_[i].origin.label != met_.labels()[i];
}

/// What need not wait for numbers: which components begin before, and which of these a piece is of.
void Faces::list_begun_before() {
  std::vector<std::uint32_t> pieces;
  for (std::uint32_t i = 0; i < pieces_.size(); ++i)
    if (!begins_here(pieces_[i])) pieces.push_back(i);
  std::sort(pieces.begin(), pieces.end(),
            [&](std::uint32_t a, std::uint32_t b) { return pieces_[a].origin < pieces_[b].origin; });
  place_before_.resize(pieces_.size());
  for (const std::uint32_t i : pieces) {
    if (begun_before_.empty() || pieces_[begun_before_.back()].origin != pieces_[i].origin)
      begun_before_.push_back(i);
    place_before_[i] = static_cast<std::uint32_t>(begun_before_.size() - 1);
  }
}

void Faces::pass_numbers(NumberedPart& part) {
  list_begun_before();
  std::vector<Label>& numbers = part.labels.numbers;
  part.before.resize(begun_before_.size());
  if (geometry_.before) {
    const auto before = TakenMessage(link_.receive(link_.part() - 1)).take<Label>();
    for (const PieceContact& contact : contacts_)
      if (!begins_here(pieces_[contact.piece]))
        part.before[place_before_[contact.piece]] = before.at(contact.before);
  }
  const auto number = [&](std::size_t piece) {
    return begins_here(pieces_[piece]) ? numbers[pieces_[piece].origin.label]
                                       : part.before[place_before_[piece]];
  };
  if (geometry_.next) {
    for (std::size_t i = 0; i < at_last_; ++i) part.at_last.push_back(number(i));
    Message message;
    put(message, part.at_last);
    link_.send(link_.part() + 1, std::move(message));
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i) numbers[met_.labels()[i]] = number(i);
  for (const std::uint32_t piece : begun_before_) part.components_before.push_back(pieces_[piece].known);
}

void Faces::send_last(const LabelSource& labels) {
  LabelRuns runs;
  labels.list_runs(labels.extent().rows() - geometry_.rows, geometry_.rows, runs, nullptr);
  meet_all(runs, met_);
  at_last_ = met_.labels().size();
  group_.last.resize(at_last_);
  std::iota(group_.last.begin(), group_.last.end(), std::uint32_t{0});
  Message message;
  put(message, runs.runs);
  put(message, runs.ends);
  put(message, values_of_met());
  link_.send(link_.part() + 1, std::move(message));
}

/// Only contacts that join what no others do: as many as there are components at most.
void Faces::find_contacts(const LabelRuns& here, Connectivity connectivity) {
  TakenMessage message(link_.receive(link_.part() - 1));
  LabelRuns before;
  message.take(before.runs);
  message.take(before.ends);
  const auto values_before = message.take<ValueBits>(), values_here = values_of_met();
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

std::vector<ValueBits> Faces::values_of_met() const {
  std::vector<ValueBits> values;
  if (!values_.empty())
    for (const Label label : met_.labels()) values.push_back(values_[label - std::size_t{1}]);
  return values;
}

void Faces::send_group(int to) {
  Message message;
  put(message, group_.pieces);
  put(message, group_.contacts);
  put(message, group_.last);
  group_ = {};
  link_.send(to, std::move(message));
}

Group Faces::receive_group(int from) {
  TakenMessage message(link_.receive(from));
  Group group;
  message.take(group.pieces);
  message.take(group.contacts);
  message.take(group.last);
  return group;
}

}  // namespace gpuccl
