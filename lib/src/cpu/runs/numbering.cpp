// The root of a component is its first run. If bundles are single rows, runs are in raster order, so counting
// the roots numbers the components. The runs of larger bundles are not in raster order: a run further right
// may begin one row or one slice higher up. But the first element of a component is in the group of its root
// (a pair of rows, or all rows of a pair of slices), so each group numbers its own components by visiting its
// rows.

#include "cpu/runs/numbering.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "cpu/runs/forest.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

/// Writes the number of runs of each bundle of a strip to the entry after its own in `before`.
template <RowSet set>
void count_in(const Bundles& bundles, Strip strip, std::vector<Index>& before) {
  for (Bundles::BundlePosition at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
    const BundleRows rows = bundles.rows(at);
    Index count = 0;
    Word left = 0;
    for (int i = 0; i < bundles.words(); ++i) {
      const Word word = united_word<set>(rows, i);
      count += static_cast<Index>(std::popcount(run_starts(word, left)));
      left = word;
    }
    before[static_cast<std::size_t>(at.bundle) + 1] = count;
  }
}

constexpr std::int64_t kElementsWorthTask = 1 << 16;
constexpr int kStripsPerThread = 4;  // threads with emptier strips can process more of them
constexpr int kSeamsAStrip = 8;      // so merging strips is a small part of the work

std::int64_t strips_worth_while(const Bundles& bundles) {
  const int threads = threads_at_work();
  if (threads == 1) return 1;
  // At strip boundaries, bundles are processed twice: a row of them, or a whole layer. Strips of few layers
  // would slow down many threads.
  const std::int64_t seam = bundles.layers() > 1 ? bundles.per_layer() : 1;
  const std::int64_t thick = std::max<std::int64_t>(threads, bundles.count() / (seam * kSeamsAStrip));
  return std::min({std::int64_t{threads} * kStripsPerThread, thick,
                   bundles.image().extent.elements() / kElementsWorthTask});
}

}  // namespace

std::vector<Strip> cut_into_strips(const Bundles& bundles, int wanted) {
  const std::int64_t groups = bundles.count() / bundles.group();
  const std::int64_t count =
      std::clamp<std::int64_t>(wanted > 0 ? wanted : strips_worth_while(bundles), 1, groups);
  std::vector<Strip> strips;
  for (std::int64_t i = 0; i < count; ++i)
    strips.push_back({groups * i / count * bundles.group(), groups * (i + 1) / count * bundles.group()});
  return strips;
}

std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips) {
  std::vector<Index> before(static_cast<std::size_t>(bundles.count()) + 1);
  const auto count = bundles.row_set() == 0b1111   ? count_in<0b1111>
                     : bundles.row_set() == 0b0011 ? count_in<0b0011>
                                                   : count_in<0b0001>;
  for_each_strip(strips, [&](std::size_t i) { count(bundles, strips[i], before); });
  std::uint64_t sum = 0;
  for (Index& runs : before) {
    sum += runs;
    runs = static_cast<Index>(sum);
  }
  if (sum > 0xffffffffu) throw Error(ErrorCode::data, std::to_string(sum) + " runs, more than 4294967295");
  return before;
}

namespace {

class Numberer {
 public:
  Numberer(const Bundles& bundles, const std::vector<Index>& runs_before, Label* links, Label* labels)
      : bundles_(bundles), runs_before_(runs_before), links_(links), labels_(labels) {}

  // In noise, whether a run is a root is nearly random, so the code below does not branch on it.

  /// Links all runs of the strip to their roots. Returns the number of roots.
  Label flatten(Strip strip) const {
    const UnionFind<ZeroBased, SharedByThreads> forest(links_);
    const Index begin = runs_before(strip.begin), end = runs_before(strip.end);
    Label roots = 0;
    for (Index run = begin; run < end; ++run) {
      const Index parent = SharedByThreads::load(links_ + run);
      Index root =
          SharedByThreads::load(links_ + parent);    // earlier runs of the strip are already linked to roots
      if (parent < begin) root = forest.find(root);  // runs of earlier strips may not be
      SharedByThreads::store(links_ + run, root);
      roots += root == run;
    }
    return roots;
  }

  /// Numbers the components whose roots are in the strip, from `last` + 1.
  void number_roots(Strip strip, Label last) const {
    if (bundles_.row_set() == 0b0001) {
      for (Index run = runs_before(strip.begin), end = runs_before(strip.end); run < end; ++run) {
        last += links_[run] == run;
        labels_[run] = last;
      }
      return;
    }
    for (std::int64_t first = strip.begin; first < strip.end; first += bundles_.group())
      number_group(first, last);
  }

  /// Writes to all runs the labels of their roots.
  void spread(Strip strip) const {
    for (Index run = runs_before(strip.begin), end = runs_before(strip.end); run < end; ++run)
      SharedByThreads::store(labels_ + run, SharedByThreads::load(labels_ + links_[run]));
  }

 private:
  Index runs_before(std::int64_t bundle) const { return runs_before_[static_cast<std::size_t>(bundle)]; }

  void number_group(std::int64_t first_bundle, Label& last) const {
    const Index begin = runs_before(first_bundle), end = runs_before(first_bundle + bundles_.group());
    Label roots = 0;
    for (Index run = begin; run < end; ++run) {
      roots += links_[run] == run;
      labels_[run] = 0;
    }
    if (roots > 0) walk_rows(first_bundle, begin, last, last + roots);
  }

  void walk_rows(std::int64_t first_bundle, Index begin, Label& last, Label final) const {
    const Extent extent = bundles_.image().extent;
    const auto [bundle, in_layer, layer] = bundles_.at(first_bundle);
    const int first_y = in_layer * bundles_.height();
    const int end_y = std::min(first_y + bundles_.group() * bundles_.height(), extent.height);
    for (int z = bundles_.first_slice(layer); z < bundles_.first_slice(layer + 1); ++z)
      for (int y = first_y; y < end_y && last != final; ++y) {
        if (bundles_.row_set() == 0b0011) {
          walk_row<0b0011>(y, z, begin, last);
        } else {
          walk_row<0b1111>(y, z, begin, last);
        }
      }
  }

  template <RowSet set>
  void walk_row(int y, int z, Index begin, Label& last) const {
    const Bundles::BundlePosition place = bundles_.holding(y, z);
    const BundleRows rows = bundles_.rows(place);
    const std::uint32_t* const row = bundles_.image().row(y, z);
    Label elsewhere = 1;  // represents the label of a root before the group
    Word left = 0, united_left = 0;
    const Label* links = links_ + runs_before(place.bundle);  // of the first run that begins in the word
    for (int i = 0; i < bundles_.words(); ++i) {
      const Word word = load_word(row, i), united = united_word<set>(rows, i);
      const Word begins = run_starts(united, united_left);
      for (Word starts = run_starts(word, left); starts != 0; starts &= starts - 1) {
        const Word up_to_start = starts ^ (starts - 1);
        const Index root = links[std::popcount(begins & up_to_start) - 1];
        Label* const label = root >= begin ? labels_ + root : &elsewhere;
        const bool is_first = *label == 0;
        last += is_first;
        *label = is_first ? last : *label;
      }
      links += std::popcount(begins);
      left = word;
      united_left = united;
    }
  }

  const Bundles& bundles_;
  const std::vector<Index>& runs_before_;
  Label* links_;
  Label* labels_;
};

/// Replaces the links of runs in raster order with labels. Returns the number of components.
Label number_in_place(Label* links, Index runs) {
  Label last = 0;
  for (Index run = 0; run < runs; ++run) {
    const Index parent = links[run];  // an earlier run, which has its label already
    last += parent == run;
    links[run] = parent == run ? last : links[parent];
  }
  return last;
}

}  // namespace

Numbering number_components(const Bundles& bundles, const std::vector<Strip>& strips,
                            const std::vector<Index>& runs_before, std::unique_ptr<Label[]> links) {
  if (strips.size() == 1 && bundles.row_set() == 0b0001) {
    const Label count = number_in_place(links.get(), runs_before.back());
    return {std::move(links), {0, count}};
  }
  Numbering numbering;
  numbering.label_of_run = make_large_for_overwrite<Label>(runs_before.back());
  const Numberer numberer(bundles, runs_before, links.get(), numbering.label_of_run.get());

  std::vector<Label>& before = numbering.labels_before;
  before.assign(strips.size() + 1, 0);
  for_each_strip(strips, [&](std::size_t i) { before[i + 1] = numberer.flatten(strips[i]); });
  for (std::size_t i = 0; i < strips.size(); ++i) before[i + 1] += before[i];
  for_each_strip(strips, [&](std::size_t i) { numberer.number_roots(strips[i], before[i]); });
  for_each_strip(strips, [&](std::size_t i) { numberer.spread(strips[i]); });
  return numbering;
}

}  // namespace gpuccl::cpu
