#include "parts/boundary_merger.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/union_find.hpp"
#include "gpuccl/detail/system.hpp"
#include "parts/message.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_merger.hpp"

namespace gpuccl {

void OpenComponent::add(const OpenComponent& other) {
  origin = std::min(origin, other.origin);
  known.add(other.known);
}

MergeNode::MergeNode(const OpenSet& left, const OpenSet& right) : left_(left.pieces.size()) {
  std::vector<Label> links(left_ + right.pieces.size());
  std::iota(links.begin(), links.end(), Label{0});
  const UnionFind<ZeroBased, OneThread, Walk::halving> sets(links.data());
  for (const PieceContact& contact : right.contacts)
    sets.unite(left.last[contact.before], static_cast<Index>(left_ + contact.piece));

  // The root of a set is its smallest component.
  united_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const OpenComponent& piece = i < left_ ? left.pieces[i] : right.pieces[i - left_];
    if (links[i] == i) {
      united_[i] = static_cast<std::uint32_t>(pieces_.size());
      pieces_.push_back(piece);
    } else {
      united_[i] = united_[sets.find(static_cast<Index>(i))];
      pieces_[united_[i]].add(piece);
    }
  }

  constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(pieces_.size(), kUnnumbered);
  const auto reaching = [&](std::size_t i) {
    std::uint32_t& n = number[united_[i]];
    if (n == kUnnumbered) {
      n = static_cast<std::uint32_t>(reaching_.size());
      reaching_.push_back(united_[i]);
      group_.pieces.push_back(pieces_[united_[i]]);
    }
    return n;
  };
  for (const PieceContact& contact : left.contacts)
    group_.contacts.push_back({contact.before, reaching(contact.piece)});
  for (const std::uint32_t piece : right.last) group_.last.push_back(reaching(left_ + piece));
}

MergeNode::Halves MergeNode::split(const std::vector<OpenComponent>& whole) const {
  std::vector<OpenComponent> pieces = pieces_;
  for (std::size_t i = 0; i < reaching_.size(); ++i) pieces[reaching_[i]] = whole[i];
  Halves halves;
  for (std::size_t i = 0; i < united_.size(); ++i)
    (i < left_ ? halves.left : halves.right).push_back(pieces[united_[i]]);
  return halves;
}

namespace {

constexpr std::uint32_t kNone = DenseIndex::kNone;
constexpr std::uint32_t kInGroup = kNone - 1;  // belongs to a group, not to a set at one boundary

/// Replaces the labels of a face's runs by dense numbers, in the order of first occurrence.
void number_labels(LabelRuns& face, DenseIndex& index) {
  for (LabelRun& run : face.runs) run.label = index.add(run.label);
}

}  // namespace

DenseIndex::DenseIndex(std::size_t count) : number_(make_large_for_overwrite<std::uint32_t>(count + 1)) {
  std::fill_n(number_.get(), count + 1, kNone);
}

BoundaryMerger::BoundaryMerger(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                               const Labeling& labeled, std::span<const ValueBits> values,
                               ValueFaces elements)
    : link_(link),
      geometry_(slab, whole, connectivity),
      slab_(slab),
      components_(labeled.components),
      values_(values),
      elements_(std::move(elements)),
      at_faces_(labeled.components.size()) {
  LabelRuns first, last;
  const auto list = [&](std::int64_t first_row, LabelRuns& runs) {
    labeled.labels->prepare(first_row, geometry_.rows);
    labeled.labels->list_runs(first_row, geometry_.rows, runs, nullptr);
  };
  if (geometry_.before) list(0, first);
  if (geometry_.next) {
    list(labeled.labels->extent().rows() - geometry_.rows, last);
    number_labels(last, at_faces_);
  }
  at_last_ = at_faces_.labels().size();
  if (geometry_.before) number_labels(first, at_faces_);
  begins_ = at_faces_.labels();
  united_of_.assign(begins_.size(), kNone);
  group_number_.assign(begins_.size(), kNone);
  at_first_.assign(begins_.size(), 0);
  for (const LabelRun& run : first.runs) at_first_[run.label] = 1;

  if (geometry_.next) send_last(last);
  if (geometry_.before) unite_with_before(std::move(first));
}

void BoundaryMerger::unite() {
  if (geometry_.next) take_from_next();
  unite_groups();
  for (std::size_t i = 0; i < begins_.size(); ++i) continued_ += begins_[i] != at_faces_.labels()[i];
}

void BoundaryMerger::send_last(const LabelRuns& runs) {
  const auto end = static_cast<std::ptrdiff_t>(at_last_);
  Message message;
  put(message, runs.runs);
  put(message, runs.ends);
  put(message, std::vector(at_faces_.labels().begin(), at_faces_.labels().begin() + end));
  put(message, std::vector(at_first_.begin(), at_first_.begin() + end));
  put(message, values_at_faces(at_last_));
  if (elements_.delta > 0) put(message, std::exchange(elements_.last, {}));
  link_.send(link_.part() + 1, std::move(message));
}

/// Finds the sets of components that touch at the first face. Merges sets that reach no other face, and sends
/// the part before the components to add to its own.
void BoundaryMerger::unite_with_before(LabelRuns first) {
  TakenMessage message(link_.receive(link_.part() - 1));
  Face before{.first_label = 0}, here{.first_label = 0};
  here.runs = std::move(first);
  message.take(before.runs.runs);
  message.take(before.runs.ends);
  const auto labels_before = message.take<Label>();
  const auto reaches = message.take<std::uint8_t>();
  const auto values_before = message.take<ValueBits>(), values_here = values_at_faces(begins_.size());
  before.values = values_before;
  here.values = values_here;
  if (elements_.delta > 0) {
    message.take(before.elements);
    here.elements = std::exchange(elements_.first, {});
  }
  const auto count = static_cast<Label>(labels_before.size());
  std::vector<Label> links(count + begins_.size());
  std::iota(links.begin(), links.end(), Label{0});
  const UnionFind<ZeroBased, OneThread, Walk::halving> sets(links.data());
  // Keeps a spanning forest of contacts, which has fewer contacts than components.
  for_each_contact(before, here, geometry_, elements_, [&](Label a, Label b) {
    if (sets.find(a) == sets.find(count + b)) return;
    sets.unite(a, count + b);
    contacts_.push_back({a, b});
  });

  std::vector<std::uint32_t> set_of(links.size(), kNone);  // by root
  for (const PieceContact& contact : contacts_)
    if (reaches.at(contact.before) != 0 || contact.piece < at_last_)
      set_of[sets.find(contact.before)] = kInGroup;
  struct Set {
    Label begins;  // label of the previous part
    Component here;
  };
  std::vector<Set> found;
  std::vector<std::uint32_t> set_before(count, kNone);
  for (const PieceContact& contact : contacts_) {
    std::uint32_t& set = set_of[sets.find(contact.before)];
    if (set == kNone) {
      set = static_cast<std::uint32_t>(found.size());
      found.push_back({labels_before[contact.before], {}});
    }
    set_before[contact.before] = set;
    if (set == kInGroup) continue;
    found[set].begins = std::min(found[set].begins, labels_before[contact.before]);
    if (begins_[contact.piece] == 0) continue;  // already added
    begins_[contact.piece] = 0;
    found[set].here.add(placed_at_face(contact.piece));
    before_.push_back({{part() - 1, set}, contact.piece});
  }
  for (Before& one : before_) one.origin.label = found[one.origin.label].begins;

  // Contacts of a group are with components at the last face of the previous part that are in its group.
  std::vector<std::uint32_t> group_number(count);
  std::uint32_t in_group_before = 0;
  for (std::size_t a = 0; a < count; ++a) {
    group_number[a] = in_group_before;
    in_group_before += set_before[a] == kInGroup;
  }
  for (const PieceContact& contact : contacts_)
    if (set_before[contact.before] == kInGroup)
      group_.contacts.push_back({group_number[contact.before], in_group(contact.piece)});

  std::vector<Component> here_of_sets;
  here_of_sets.reserve(found.size());
  for (const Set& set : found) here_of_sets.push_back(set.here);
  Message reply;
  put(reply, set_before);
  put(reply, here_of_sets);
  link_.send(link_.part() - 1, std::move(reply));
}

/// Receives the unions that the next part made at the last face.
void BoundaryMerger::take_from_next() {
  TakenMessage message(link_.receive(link_.part() + 1));
  const auto set_of = message.take<std::uint32_t>();
  const std::size_t first = united_.size();
  const auto sets = message.take<Component>();
  united_.insert(united_.end(), sets.begin(), sets.end());
  std::vector<Label> begins(sets.size(), kNone);
  for (std::size_t i = 0; i < at_last_; ++i) {
    const std::uint32_t set = set_of.at(i);
    if (set == kInGroup) {
      group_.last.push_back(in_group(static_cast<std::uint32_t>(i)));
    } else if (set != kNone) {
      begins[set] = std::min(begins[set], at_faces_.labels()[i]);
      united_[first + set].add(placed_at_face(static_cast<std::uint32_t>(i)));
    }
  }
  for (std::size_t i = 0; i < at_last_; ++i) {
    const std::uint32_t set = set_of[i];
    if (set == kInGroup || set == kNone) continue;
    begins_[i] = begins[set];
    united_of_[i] = static_cast<std::uint32_t>(first + set);
  }
}

std::uint32_t BoundaryMerger::in_group(std::uint32_t number) {
  if (group_number_[number] == kNone) {
    group_number_[number] = static_cast<std::uint32_t>(group_.pieces.size());
    of_group_.push_back(number);
    group_.pieces.push_back({{part(), at_faces_.labels()[number]}, placed_at_face(number)});
  }
  return group_number_[number];
}

/// Merges groups of parts pairwise (upward pass), then sends the results back (downward pass).
void BoundaryMerger::unite_groups() {
  struct Step {
    int other;
    MergeNode merged;
  };
  std::vector<Step> steps;
  std::vector<OpenComponent> pieces;  // in coordinates of parts of the whole
  const int part = link_.part(), parts = link_.parts();
  int step = 1;
  for (; step < parts && part % (2 * step) == 0; step *= 2) {
    if (part + step >= parts) continue;
    steps.push_back({part + step, {group_, receive_group(part + step)}});
    group_ = steps.back().merged.take();
  }
  if (part > 0) {
    send_group(part - step);
    TakenMessage(link_.receive(part - step)).take(pieces);
  } else {
    pieces = std::move(group_.pieces);
  }
  for (; !steps.empty(); steps.pop_back()) {
    MergeNode::Halves halves = steps.back().merged.split(pieces);
    Message message;
    put(message, halves.right);
    link_.send(steps.back().other, std::move(message));
    pieces = std::move(halves.left);
  }

  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const OpenComponent& piece = pieces[i];
    const std::uint32_t number = of_group_[i];
    if (piece.origin.part != this->part()) {
      begins_[number] = 0;
      before_.push_back({piece.origin, number});
      continue;
    }
    begins_[number] = static_cast<Label>(piece.origin.label);
    if (begins_[number] != at_faces_.labels()[number]) continue;
    united_of_[number] = static_cast<std::uint32_t>(united_.size());
    united_.push_back(piece.known);
  }
}

void BoundaryMerger::send_group(int to) {
  Message message;
  put(message, group_.pieces);
  put(message, group_.contacts);
  put(message, group_.last);
  group_ = {};
  link_.send(to, std::move(message));
}

OpenSet BoundaryMerger::receive_group(int from) {
  TakenMessage message(link_.receive(from));
  OpenSet group;
  message.take(group.pieces);
  message.take(group.contacts);
  message.take(group.last);
  return group;
}

/// Lists the final labels of all components that begin in earlier parts, ascending.
void BoundaryMerger::list_begun_before() {
  std::sort(before_.begin(), before_.end());
  place_before_.resize(begins_.size());
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    place += i > 0 && before_[i].origin != before_[i - 1].origin;
    place_before_[before_[i].number] = place;
  }
}

void BoundaryMerger::pass_numbers(PartResult& part) {
  list_begun_before();
  std::vector<Label>& numbers = part.labels.numbers;
  if (!before_.empty()) part.before.resize(place_before_[before_.back().number] + std::size_t{1});
  if (geometry_.before) {
    const auto before = TakenMessage(link_.receive(link_.part() - 1)).take<Label>();
    for (const PieceContact& contact : contacts_)
      if (begins_[contact.piece] == 0) part.before[place_before_[contact.piece]] = before.at(contact.before);
  }
  const auto number = [&](std::size_t i) {
    return begins_[i] == 0 ? part.before[place_before_[i]] : numbers[begins_[i]];
  };
  if (geometry_.next) {
    part.at_last.resize(at_last_);
    for (std::size_t i = 0; i < at_last_; ++i) part.at_last[i] = number(i);
    Message message;
    put(message, part.at_last);
    link_.send(link_.part() + 1, std::move(message));
  }
  for (std::size_t i = 0; i < begins_.size(); ++i) numbers[at_faces_.labels()[i]] = number(i);
}

std::vector<ValueBits> BoundaryMerger::values_at_faces(std::size_t count) const {
  std::vector<ValueBits> values;
  if (!values_.empty() && elements_.delta == 0)
    for (std::size_t i = 0; i < count; ++i) values.push_back(values_[at_faces_.labels()[i] - std::size_t{1}]);
  return values;
}

Component BoundaryMerger::placed_at_face(std::uint32_t number) const {
  return placed(components_, at_faces_.labels()[number] - std::size_t{1}, slab_);
}

}  // namespace gpuccl
