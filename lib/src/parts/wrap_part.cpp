#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {
namespace {

/// A component at a border and, after merging, the root to which it belongs.
struct AtBorder {
  Label label = 0,
        root = 0;  // labels in the whole image; the root is the smallest label of a merged component
  ValueBits value = 0;
  Component known;  // of a root: the merged component
  std::array<Wrap, 3> wraps{};
};

bool operator<(const AtBorder& one, const AtBorder& other) { return one.label < other.label; }

/// Returns the components that begin in a part and touch a border of the image, by their bounding boxes.
std::vector<AtBorder> components_at_border(const PartResult& part, const Extent& whole,
                                           const PeriodicAxes& periodic) {
  std::vector<AtBorder> found;
  const int size[3] = {whole.width, whole.height, whole.depth};
  for (std::size_t i = 0; i < part.components.size(); ++i) {
    const Box& box = part.components.box[i];
    bool touches = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      touches = touches || (periodic[axis] && (box.min[axis] == 0 || box.max[axis] == size[axis] - 1));
    if (!touches) continue;
    AtBorder& one = found.emplace_back();
    one.label = static_cast<Label>(part.first + i + 1);
    one.known = part.components[i];
    if (!part.values.empty()) one.value = part.values[i];
  }
  return found;
}

/// Finds the root of every component at a border.
void wrap_all(std::vector<AtBorder>& all, const BorderRuns& borders, const Extent& whole,
              Connectivity connectivity, const PeriodicAxes& periodic, bool by_values) {
  Components components;
  std::vector<ValueBits> values;
  for (const AtBorder& one : all) {
    components.push_back(one.known);
    if (by_values) values.push_back(one.value);
  }
  const Wrapped wrapped = wrap_borders(borders, whole, components, connectivity, periodic, values);
  std::vector<Label> roots(wrapped.components.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t now = wrapped.map[i + 1] - std::size_t{1};
    if (roots[now] == 0) roots[now] = all[i].label;
    all[i].root = roots[now];
    all[i].known = wrapped.components[now];
    all[i].wraps = wrapped.wraps[now];
  }
}

/// Gathers all components at borders in part 0, merges them, and distributes the result. Collective.
std::vector<AtBorder> wrap_together(PartLink& link, const Extent& whole, Connectivity connectivity,
                                    const PeriodicAxes& periodic, const PartResult& part) {
  Message message;
  put(message, components_at_border(part, whole, periodic));
  put(message, list_border_rows(part.labels, whole, periodic));
  put(message, std::vector<std::uint8_t>{!part.values.empty()});
  link.send(0, std::move(message));
  std::vector<AtBorder> all;
  std::vector<char> reason;  // error of part 0, which all parts then throw
  if (link.part() == 0) {
    std::vector<BorderRows> rows;
    bool by_values = false;
    for (int from = 0; from < link.parts(); ++from) {
      TakenMessage taken(link.receive(from));
      const auto more = taken.take<AtBorder>();
      all.insert(all.end(), more.begin(), more.end());
      rows.push_back(take_border_rows(taken));
      by_values = taken.take<std::uint8_t>().at(0) != 0 || by_values;
    }
    BorderRuns borders(whole, periodic);
    for (BorderRows& of_part : rows) {
      for (LabelRun& run : of_part.runs.runs) {  // labels: positions among all components at borders, from 1
        AtBorder wanted;
        wanted.label = run.label;
        const auto at = std::lower_bound(all.begin(), all.end(), wanted);
        const bool found = at != all.end() && at->label == run.label;
        run.label = found ? static_cast<Label>(at - all.begin() + 1) : 0;
      }
      keep(borders, of_part);
    }
    try {
      wrap_all(all, borders, whole, connectivity, periodic, by_values);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) throw;
      const std::string what = error.what();
      reason.assign(what.begin(), what.end());
    }
  }
  Message of_all;
  if (link.part() == 0) {
    put(of_all, all);
    put(of_all, reason);
  }
  TakenMessage taken(std::move(link.gather(std::move(of_all)).front()));
  taken.take(all);
  taken.take(reason);
  if (!reason.empty()) throw Error(ErrorCode::data, std::string(reason.begin(), reason.end()));
  return all;
}

}  // namespace

std::vector<std::array<Wrap, 3>> several_parts::wrap_part(PartLink& link, Extent whole,
                                                          Connectivity connectivity,
                                                          const PeriodicAxes& periodic, PartResult& part) {
  check_periodic(whole, connectivity, periodic);
  const std::vector<AtBorder> all = wrap_together(link, whole, connectivity, periodic, part);
  std::vector<Label> gone, far;  // merged roots, which parts far from their origin may contain
  for (const AtBorder& one : all) {
    part.largest = std::max(part.largest, one.known.area);
    if (one.root == one.label) continue;
    gone.push_back(one.label);
    far.push_back(one.root);
  }
  const auto at_border = [&](Label label) -> const AtBorder* {
    AtBorder wanted;
    wanted.label = label;
    const auto at = std::lower_bound(all.begin(), all.end(), wanted);
    return at != all.end() && at->label == label ? &*at : nullptr;
  };
  const auto number = [&](Label label) {
    if (const AtBorder* const one = at_border(label)) label = one->root;
    return static_cast<Label>(label - (std::lower_bound(gone.begin(), gone.end(), label) - gone.begin()));
  };

  Components components;
  UninitializedVector<ValueBits> values;
  std::vector<std::array<Wrap, 3>> wraps;
  for (std::size_t i = 0; i < part.components.size(); ++i) {
    const auto label = static_cast<Label>(part.first + i + 1);
    const AtBorder* const one = at_border(label);
    if (one != nullptr && one->root != label) continue;
    components.push_back(one != nullptr ? one->known : part.components[i]);
    wraps.push_back(one != nullptr ? one->wraps : std::array<Wrap, 3>{});
    if (!part.values.empty()) values.push_back(part.values[i]);
  }
  for (Label& label : part.labels.numbers)
    if (label != 0) label = number(label);
  part.first -= static_cast<Label>(std::lower_bound(gone.begin(), gone.end(), part.first + 1) - gone.begin());
  part.count -= static_cast<Label>(gone.size());
  part.components = std::move(components);
  part.values = std::move(values);
  for (std::vector<Label>* const labels : {&part.before, &part.at_last, &far})
    for (Label& label : *labels) label = number(label);
  part.before.clear();
  const auto end = part.first + part.components.size();
  std::copy_if(far.begin(), far.end(), std::back_inserter(part.at_last),
               [&](Label label) { return label <= end; });
  return wraps;
}

}  // namespace gpuccl
