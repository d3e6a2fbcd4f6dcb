// The default algorithm on the CPU: union-find of runs in packed bits, with strips in parallel.
//
// Runs           merges the runs within each strip, one thread per strip
// Merge borders  merges runs that touch across the edges of strips, all edges at the same time
// Number         numbers components in raster order of their first elements
//
// Labels are never stored per element: RunLabels renders them from the bits and one number per run.

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/algorithms.hpp"
#include "cpu/phase_clock.hpp"
#include "cpu/runs/bundle_runs.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/run_labels.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

/// Returns the bundle on the given side of `here`, if it is in [begin, end).
std::optional<Bundles::BundlePosition> neighbor(const Bundles& bundles, const Bundles::BundlePosition& here,
                                                int dy, int dz, Strip within) {
  const Bundles::BundlePosition place{here.bundle + dy + std::int64_t{dz} * bundles.per_layer(), here.y + dy,
                                      here.layer + dz};
  const bool there = 0 <= place.y && place.y < bundles.per_layer() && within.begin <= place.bundle &&
                     place.bundle < within.end;
  return there ? std::optional(place) : std::nullopt;
}

template <class S, class Visit>
void for_each_side(Visit visit) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (visit(std::integral_constant<std::size_t, i>{}), ...); }
  (std::make_index_sequence<S::sides.size()>{});
}

/// Returns the bits at which other bundles already connect `here` and `other`. In volumes, most unions are
/// redundant: if a bundle, the one above it and the two behind them meet at one bit, three unions connect all
/// four. The choice is the same at strip boundaries.
template <class S, Side side>
Word joined_by_others(const BundleRuns& here, const BundleRuns& above, const BundleRuns& other,
                      std::size_t word) {
  if constexpr (side.dz == 0) return 0;
  if constexpr (side.dy == 0) return here.touch_y[word] & above.touch_z[word] & other.touch_y[word];
  if constexpr (side.diagonal != S::sides[0].diagonal) return 0;  // one has columns, the other corners
  if constexpr (side.dy < 0) return here.touch_y[word] & above.touch_z[word];
  return here.touch_z[word] & other.touch_y[word];
}

/// Records the places where `here` touches the bundle above or behind it.
template <class S, Side side>
void note_touch(BundleRuns& here, std::size_t word, Word places) {
  if constexpr (side.dz == 0 && BundleRuns::slices_touch<S>) here.touch_y[word] = places;
  if constexpr (side.dz != 0 && side.dy == 0) here.touch_z[word] = places;
}

/// Merges the runs within a strip.
template <class S>
void join_inside(const Bundles& bundles, Strip strip, const std::vector<Index>& runs_before, Label* links,
                 RecentBundles<S>& recent) {
  const OwnForest forest(links);
  const auto join = [&](Index run, Index before) { forest.join(run, before); };
  for (Bundles::BundlePosition at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
    const Index first = runs_before[static_cast<std::size_t>(at.bundle)];
    const Index end = runs_before[static_cast<std::size_t>(at.bundle) + 1];
    if (first == end) continue;
    for (Index run = first; run < end; ++run) forest.make_set(run);

    BundleRuns& here = recent.at(at);
    const auto above_place = neighbor(bundles, at, -1, 0, strip);
    const BundleRuns& above = above_place ? recent.at(*above_place) : here;  // otherwise touch_y is empty
    for_each_side<S>([&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
      static constexpr Side side = S::sides[i];
      const auto place = neighbor(bundles, at, side.dy, side.dz, strip);
      if (!place) return;
      const BundleRuns& other = recent.at(*place);
      for_each_contact<side>(
          bundles.words(), here, other,
          [&](std::size_t word) { return joined_by_others<S, side>(here, above, other, word); },
          [&](std::size_t word, Word places) { note_touch<S, side>(here, word, places); }, join);
    });
  }
}

/// Merges the runs of a strip with those of earlier strips, while other threads do the same for other strips.
template <class S>
class SeamJoiner {
 public:
  SeamJoiner(const Bundles& bundles, Label* links, RecentBundles<S>& recent)
      : bundles_(bundles), forest_(links), recent_(recent) {}

  void join(Strip strip) {
    const Strip before{0, strip.begin};
    const std::int64_t end =
        std::min(strip.end, strip.begin + BundleRuns::farthest<S>(bundles_.per_layer(), bundles_.layers()));
    for (Bundles::BundlePosition at = bundles_.at(strip.begin); at.bundle < end; bundles_.next(at)) {
      BundleRuns& here = load(at);
      const auto above_place = neighbor(bundles_, at, -1, 0, everywhere_);
      const BundleRuns& above = above_place ? load(*above_place) : here;  // otherwise touch_y is empty
      for_each_side<S>([&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
        static constexpr Side side = S::sides[i];
        const auto place = neighbor(bundles_, at, side.dy, side.dz, before);
        if (!place) return;
        const BundleRuns& other = load(*place);
        for_each_contact<side>(
            bundles_.words(), here, other,
            [&](std::size_t word) { return joined_by_others<S, side>(here, above, other, word); },
            [&](std::size_t word, Word places) { note_touch<S, side>(here, word, places); },
            [&](Index a, Index b) {
              if (!forest_.same_parent(a, b)) forest_.unite(a, b);
            });
      });
    }
  }

 private:
  /// Returns the bundle with its touch_y, because touching runs are merged within a strip.
  BundleRuns& load(const Bundles::BundlePosition& place) {
    if constexpr (BundleRuns::slices_touch<S>) {
      if (recent_.holds(place)) return recent_.at(place);
      BundleRuns& here = recent_.at(place);
      constexpr Side kAbove = S::sides[0];
      if (const auto above = neighbor(bundles_, place, kAbove.dy, kAbove.dz, everywhere_))
        for_each_contact<kAbove>(
            bundles_.words(), here, recent_.at(*above), [](std::size_t) { return ~Word{0}; },
            [&](std::size_t word, Word places) { here.touch_y[word] = places; }, [](Index, Index) {});
      return here;
    } else {
      return recent_.at(place);
    }
  }

  const Bundles& bundles_;
  SharedForest forest_;
  RecentBundles<S>& recent_;
  Strip everywhere_{0, bundles_.count()};
};

template <Connectivity connectivity>
class Runs final : public Labeler {
  using S = Shape<connectivity>;

 public:
  explicit Runs(int strips) : strips_wanted_(strips) {}

  Labeling label(BitView image) override {
    check(image);
    Labeling result;
    if (image.extent.elements() == 0) {
      result.labels = std::make_unique<LabelImage>(image.extent, 0);
      return result;
    }
    PhaseClock phase(result.phases);
    Bundles bundles(image, S::rows);
    const std::vector<Strip> strips = cut_into_strips(bundles, strips_wanted_);
    std::vector<Index> runs_before;
    std::unique_ptr<Label[]> links;
    Numbering numbering;

    {
      // Per thread, reused for all of its strips.
      tbb::enumerable_thread_specific<RecentBundles<S>> recent(
          [&] { return RecentBundles<S>(bundles, runs_before); });
      phase("Runs", [&] {
        runs_before = count_runs(bundles, strips);
        links = make_large_for_overwrite<Label>(runs_before.back());
        for_each_strip(strips, [&](std::size_t i) {
          join_inside<S>(bundles, strips[i], runs_before, links.get(), recent.local());
        });
      });
      phase("Merge borders", [&] {
        for_each_strip(strips, [&](std::size_t i) {
          if (i > 0) SeamJoiner<S>(bundles, links.get(), recent.local()).join(strips[i]);
        });
      });
    }
    phase("Number", [&] { numbering = number_components(bundles, strips, runs_before, std::move(links)); });

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
  return with_connectivity(connectivity, [&]<Connectivity one>() -> std::unique_ptr<Labeler> {
    return std::make_unique<Runs<one>>(strips);
  });
}

std::unique_ptr<Labeler> make_runs(Connectivity connectivity) { return make_runs_in_strips(connectivity, 0); }

namespace {

template <class S>
std::int64_t bytes_of(Extent extent) {
  const std::int64_t words = words_per_row(extent.width) / 2;
  const std::int64_t per_layer = (std::int64_t{extent.height} + height_of(S::rows) - 1) / height_of(S::rows);
  const std::int64_t layers = (std::int64_t{extent.depth} + depth_of(S::rows) - 1) / depth_of(S::rows);
  const std::int64_t bundles = per_layer * layers;
  const std::int64_t runs = bundles * ((std::int64_t{extent.width} + 1) / 2);

  const std::int64_t of_runs = runs * std::int64_t{2 * sizeof(Label)};  // links and labels
  const std::int64_t of_bundles = (bundles + 1) * std::int64_t{sizeof(Index)};
  const std::int64_t row_of_zeros = words * std::int64_t{sizeof(Word)};
  const std::int64_t of_recent = BundleRuns::together<S>(per_layer, layers) *
                                 (words * BundleRuns::bytes_of_word<S> + std::int64_t{sizeof(BundleRuns)});
  return of_runs + of_bundles + row_of_zeros + of_recent * threads_at_work();
}

}  // namespace

std::int64_t runs_workspace_bytes(Connectivity connectivity, Extent extent) {
  return with_connectivity(connectivity, [&]<Connectivity one>() { return bytes_of<Shape<one>>(extent); });
}

}  // namespace gpuccl::cpu
