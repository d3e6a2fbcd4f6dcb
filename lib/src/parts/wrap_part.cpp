#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/error.hpp"
#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"
#include "periodic/wrap_borders.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {
namespace {

/// A component at a border, and once it is known, what it is a part of.
struct AtBorder {
  Label label = 0, root = 0;  // of the whole; the root is the smallest of those that are one
  ValueBits value = 0;
  Component known;  // of a root: all of the component
  std::array<Wrap, 3> wraps{};
};

bool operator<(const AtBorder& one, const AtBorder& other) { return one.label < other.label; }

/// What of a part's rows may lie at a border.
struct BorderRows {
  std::vector<std::int64_t> rows;
  LabelRuns runs;  // of these; of rows whose ends alone matter, the first and the last
};

BorderRows border_rows(const NumberedPart& part, const Extent& whole, const PeriodicAxes& periodic) {
  BorderRows found;
  const RowRange own = rows_of(part.labels.slab, whole);
  constexpr std::int64_t kRowsAtOnce = 256;
  LabelRuns listed;
  for (std::int64_t first = own.begin; first < own.end; first += kRowsAtOnce) {
    const std::int64_t rows = std::min(kRowsAtOnce, own.end - first);
    part.labels.labels->list_runs(first - own.begin, rows, listed, part.labels.numbers.data());
    std::size_t begin = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::size_t end = listed.ends[static_cast<std::size_t>(i)];
      const std::span<const LabelRun> row(listed.runs.data() + begin, end - begin);
      begin = end;
      const auto y = (first + i) % whole.height, z = (first + i) / whole.height;
      const bool all = (periodic[1] && (y == 0 || y == whole.height - 1)) ||
                       (periodic[2] && (z == 0 || z == whole.depth - 1));
      if (row.empty() || (!all && !periodic[0])) continue;
      found.rows.push_back(first + i);
      if (all || row.size() < 2) {
        found.runs.runs.insert(found.runs.runs.end(), row.begin(), row.end());
      } else {
        found.runs.runs.insert(found.runs.runs.end(), {row.front(), row.back()});
      }
      found.runs.ends.push_back(found.runs.runs.size());
    }
  }
  return found;
}

/// What of the components that begin in a part are at a border of the image: by their boxes.
std::vector<AtBorder> components_at_border(const NumberedPart& part, const Extent& whole,
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

/// Says of all components at the borders what they are parts of.
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

/// All components at the borders, in part 0 and from there in all.
std::vector<AtBorder> wrap_together(PartLink& link, const Extent& whole, Connectivity connectivity,
                                    const PeriodicAxes& periodic, const NumberedPart& part) {
  const BorderRows mine = border_rows(part, whole, periodic);
  Message message;
  put(message, components_at_border(part, whole, periodic));
  put(message, mine.rows);
  put(message, mine.runs.runs);
  put(message, mine.runs.ends);
  put(message, std::vector<std::uint8_t>{!part.values.empty()});
  link.send(0, std::move(message));
  std::vector<AtBorder> all;
  std::vector<char> reason;  // why part 0 cannot: then no part can
  if (link.part() == 0) {
    std::vector<BorderRows> rows(static_cast<std::size_t>(link.parts()));
    bool by_values = false;
    for (int from = 0; from < link.parts(); ++from) {
      TakenMessage taken(link.receive(from));
      const auto more = taken.take<AtBorder>();
      all.insert(all.end(), more.begin(), more.end());
      BorderRows& of_part = rows[static_cast<std::size_t>(from)];
      taken.take(of_part.rows);
      taken.take(of_part.runs.runs);
      taken.take(of_part.runs.ends);
      by_values = taken.take<std::uint8_t>().at(0) != 0 || by_values;
    }
    BorderRuns borders(whole, periodic);
    for (BorderRows& of_part : rows) {
      std::size_t begin = 0;
      for (std::size_t i = 0; i < of_part.rows.size(); ++i) {
        const std::size_t end = of_part.runs.ends[i];
        for (std::size_t k = begin; k < end; ++k) {  // by their place among all at the borders, from 1
          LabelRun& run = of_part.runs.runs[k];
          AtBorder wanted;
          wanted.label = run.label;
          const auto at = std::lower_bound(all.begin(), all.end(), wanted);
          const bool found = at != all.end() && at->label == run.label;
          run.label = found ? static_cast<Label>(at - all.begin() + 1) : 0;
        }
        borders.keep(of_part.rows[i], {of_part.runs.runs.data() + begin, end - begin});
        begin = end;
      }
    }
    try {
      wrap_all(all, borders, whole, connectivity, periodic, by_values);
    } catch (const Error& error) {
      if (error.failure() != Failure::data) throw;
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
  if (!reason.empty()) throw Error(Failure::data, std::string(reason.begin(), reason.end()));
  return all;
}

}  // namespace

std::vector<std::array<Wrap, 3>> wrap_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const PeriodicAxes& periodic, NumberedPart& part) {
  check_periodic(whole, connectivity, periodic);
  const std::vector<AtBorder> all = wrap_together(link, whole, connectivity, periodic, part);
  std::vector<Label> gone, far;  // roots of others, which parts far from where they begin may have
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
  Column<ValueBits> values;
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
