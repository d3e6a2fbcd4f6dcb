// The default on the CPU: union-find of runs in packed bits, strips in parallel.
//
//   Runs           each strip joins its own runs, one thread a strip
//   Merge borders  runs that touch across the edge of two strips are joined, all edges at once
//   Number         components are numbered in raster order of their first elements
//
// Labels are never stored by element: RunLabels renders them from the bits and one number a run.

#include "cpu/runs/runs.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cpu/algorithms.hpp"
#include "cpu/phase_clock.hpp"
#include "cpu/runs/bundle_runs.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/run_labels.hpp"
#include "cpu/runs/statistics.hpp"
#include "cpu/runs/strips.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::cpu {
namespace {

template <class Task>
void for_each_strip(const std::vector<Strip>& strips, Task task) {
  tbb::parallel_for(std::size_t{0}, strips.size(), [&](std::size_t i) { task(strips[i]); });
}

/// How many runs lie in bundles before each bundle; and the number of all runs at the end.
template <class S>
std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips) {
  std::vector<Index> before(static_cast<std::size_t>(bundles.count()) + 1);
  for_each_strip(strips, [&](Strip strip) {
    for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
      const BundleRows rows = bundles.rows(at);
      Index count = 0;
      Word left = 0;
      for (int i = 0; i < bundles.words(); ++i) {
        const Word word = united_word<S::rows>(rows, i);
        count += static_cast<Index>(std::popcount(run_starts(word, left)));
        left = word;
      }
      before[static_cast<std::size_t>(at.bundle) + 1] = count;
    }
  });
  std::uint64_t sum = 0;
  for (Index& count : before) {
    sum += count;
    count = static_cast<Index>(sum);
  }
  if (sum > 0xffffffffu) throw Error(Failure::data, std::to_string(sum) + " runs, more than 4294967295");
  return before;
}

/// Joins the runs of a bundle with those of the bundles before it that lie in [begin, end).
template <class S, class Forest>
void join_bundle(RecentBundles<S>& recent, const Bundles& bundles, const Bundles::Place& here,
                 const Forest& forest, std::int64_t begin, std::int64_t end) {
  const auto one_side = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr Side side = S::sides[i];
    const Bundles::Place other{here.bundle + side.dy + std::int64_t{side.dz} * bundles.per_layer(),
                               here.y + side.dy, here.layer + side.dz};
    if (other.y < 0 || other.y >= bundles.per_layer() || other.bundle < begin || other.bundle >= end) return;
    for_each_contact<side>(recent.at(here), recent.at(other), [&](Index a, Index b) { forest.unite(a, b); });
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (one_side(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<S::sides.size()>{});
}

template <class S>
void join_inside(const Bundles& bundles, Strip strip, const std::vector<Index>& runs_before, Label* links) {
  const OwnForest forest(links);
  RecentBundles<S> recent(bundles, runs_before);
  for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
    const Index first = runs_before[static_cast<std::size_t>(at.bundle)];
    const Index end = runs_before[static_cast<std::size_t>(at.bundle) + 1];
    if (first == end) continue;
    for (Index run = first; run < end; ++run) forest.make_set(run);
    join_bundle<S>(recent, bundles, at, forest, strip.begin, strip.end);
  }
}

template <class S>
void join_with_strips_before(const Bundles& bundles, Strip strip, const std::vector<Index>& runs_before,
                             Label* links) {
  const SharedForest forest(links);
  RecentBundles<S> recent(bundles, runs_before);
  const std::int64_t end = std::min(strip.end, strip.begin + recent.farthest(bundles));
  for (Bundles::Place at = bundles.at(strip.begin); at.bundle < end; bundles.next(at))
    join_bundle<S>(recent, bundles, at, forest, 0, strip.begin);
}

template <Connectivity connectivity>
class Runs final : public Labeler {
  using S = Shape<connectivity>;

 public:
  explicit Runs(int strips) : strips_wanted_(strips) {}

  Labeled label(BitView image) override {
    Labeled result;
    PhaseClock phase(result.phases);
    Bundles bundles(image, S::rows);
    const std::vector<Strip> strips = cut_into_strips(bundles, strips_wanted_);
    std::vector<Index> runs_before;
    std::unique_ptr<Label[]> links;
    Numbering numbering;

    phase("Runs", [&] {
      runs_before = count_runs<S>(bundles, strips);
      links = std::make_unique_for_overwrite<Label[]>(runs_before.back());
      for_each_strip(strips, [&](Strip strip) { join_inside<S>(bundles, strip, runs_before, links.get()); });
    });
    phase("Merge borders", [&] {
      for_each_strip(
          strips, [&](Strip strip) { join_with_strips_before<S>(bundles, strip, runs_before, links.get()); });
    });
    phase("Number", [&] { numbering = number_components(bundles, strips, runs_before, links.get()); });
    links.reset();

    auto labels =
        std::make_unique<RunLabels>(std::move(bundles), std::move(runs_before),
                                    std::move(numbering.label_of_run), numbering.labels_before.back());
    result.statistics_ms =
        milliseconds([&] { result.components = measure(*labels, strips, numbering.labels_before); });
    result.labels = std::move(labels);
    return result;
  }

 private:
  int strips_wanted_;
};

}  // namespace

std::unique_ptr<Labeler> make_runs_in_strips(Connectivity connectivity, int strips) {
  switch (connectivity) {
    case Connectivity::c4:
      return std::make_unique<Runs<Connectivity::c4>>(strips);
    case Connectivity::c8:
      return std::make_unique<Runs<Connectivity::c8>>(strips);
    case Connectivity::c6:
      return std::make_unique<Runs<Connectivity::c6>>(strips);
    case Connectivity::c18:
      return std::make_unique<Runs<Connectivity::c18>>(strips);
    case Connectivity::c26:
      return std::make_unique<Runs<Connectivity::c26>>(strips);
  }
  throw Error(Failure::usage, "no such connectivity");
}

std::unique_ptr<Labeler> make_runs(Connectivity connectivity) { return make_runs_in_strips(connectivity, 0); }

}  // namespace gpuccl::cpu
