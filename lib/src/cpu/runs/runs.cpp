// The default algorithm on the CPU: union-find of runs in packed bits, with strips in parallel.
//
// Runs           merges the runs within each strip, one thread per strip
// Merge borders  merges runs that touch across the edges of strips, all edges at the same time
// Number         numbers components in raster order of their first elements
//
// Labels are never stored per element: RunLabels renders them from the bits and one number per run.
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/algorithms.hpp"
#include "cpu/phase_clock.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/run_labels.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {

/// The runs of one bundle: their first bits, and the number of runs before each word.
struct BundleRuns {
  std::int64_t bundle = -1;
  BundleRows rows{};
  // Bits of each word:
  Word* starts = nullptr;
  Index* before = nullptr;  // number of the last run that begins left of the word; wraps below 0
  // For volumes whose slices touch: the columns in which the bundle touches the bundle at y - 1, or at z - 1,
  // and is merged with it:
  Word* touch_y = nullptr;
  Word* touch_z = nullptr;

  template <class S>
  static constexpr bool slices_touch = S::sides.back().dz != 0;
  template <class S>
  static constexpr std::int64_t bytes_of_word = sizeof(Word) + sizeof(Index) +
                                                (slices_touch<S> ? 2 * sizeof(Word) : 0);

  /// Distance, in bundles, to the first bundle that may touch a bundle.
  template <class S>
  static constexpr std::int64_t farthest(std::int64_t per_layer, std::int64_t layers) {
    return slices_touch<S> && layers > 1 ? per_layer + 1 : 1;
  }

  /// Number of consecutive bundles processed together: a bundle, those that may touch it and, for its
  /// touch_y, the one above the first of these.
  template <class S>
  static constexpr std::int64_t together(std::int64_t per_layer, std::int64_t layers) {
    return 1 + farthest<S>(per_layer, layers) + (slices_touch<S> ? 1 : 0);
  }

  /// Returns the run that contains bit `bit` of word `word`, or otherwise the last run to its left.
  Index run_at(int word, int bit) const {
    const std::size_t i = static_cast<std::size_t>(word);
    return before[i] + static_cast<Index>(std::popcount(starts[i] & up_to(bit)));
  }

  template <class S>
  void load(const Bundles& bundles, const Bundles::BundlePosition& place, Index first_run) {
    bundle = place.bundle;
    rows = bundles.rows(place);
    if constexpr (slices_touch<S>) {
      std::fill_n(touch_y, bundles.words(), Word{0});
      std::fill_n(touch_z, bundles.words(), Word{0});
    }
    Word previous = 0;
    Index last = first_run - 1;
    for (int i = 0; i < bundles.words(); ++i) {
      const Word word = united_word<S::rows>(rows, i);
      const Word begins = run_starts(word, previous);
      starts[i] = begins;
      before[i] = last;
      last += static_cast<Index>(std::popcount(begins));
      previous = word;
    }
  }
};

/// The bundles used last, so that each is loaded once while the bundles are visited in order.
template <class S>
class RecentBundles {
 public:
  /// `runs_before[b]` is the number of runs in bundles before b. Keeps as many bundles as are used together.
  RecentBundles(const Bundles& bundles, const std::vector<Index>& runs_before)
      : bundles_(bundles),
        runs_before_(runs_before),
        recent_(static_cast<std::size_t>(BundleRuns::together<S>(bundles.per_layer(), bundles.layers()))) {
    constexpr std::size_t kLists = BundleRuns::slices_touch<S> ? 3 : 1;
    const auto words = static_cast<std::size_t>(bundles.words());
    words_ = std::make_unique_for_overwrite<Word[]>(recent_.size() * words * kLists);
    before_ = std::make_unique_for_overwrite<Index[]>(recent_.size() * words);
    Word* word = words_.get();
    Index* before = before_.get();
    for (BundleRuns& slot : recent_) {
      slot.starts = word;
      slot.before = before;
      if constexpr (BundleRuns::slices_touch<S>) {
        slot.touch_y = word + words;
        slot.touch_z = word + 2 * words;
      }
      word += kLists * words;
      before += words;
    }
  }

  bool holds(const Bundles::BundlePosition& place) const {
    return recent_[slot_of(place)].bundle == place.bundle;
  }

  BundleRuns& at(const Bundles::BundlePosition& place) {
    BundleRuns& slot = recent_[slot_of(place)];
    if (slot.bundle != place.bundle)
      slot.template load<S>(bundles_, place, runs_before_[static_cast<std::size_t>(place.bundle)]);
    return slot;
  }

 private:
  std::size_t slot_of(const Bundles::BundlePosition& place) const {
    return static_cast<std::size_t>(place.bundle) % recent_.size();
  }

  const Bundles& bundles_;
  const std::vector<Index>& runs_before_;
  std::vector<BundleRuns> recent_;
  std::unique_ptr<Word[]> words_;
  std::unique_ptr<Index[]> before_;
};

/// Calls join(run of `here`, run of `other`) at least once for each pair of touching runs.
///
/// Bits of v are the places where the two touch: a column or, for diagonal sides, the corner left of a
/// column. One place suffices for each stretch of v in which neither side begins another run. joined_by(i)
/// returns the places of word i whose runs are connected through other bundles; touch(i, v) receives all
/// places. `words`: words per row.
template <Side side, class JoinedBy, class Touch, class Join>
void for_each_contact(int words, const BundleRuns& here, const BundleRuns& other, JoinedBy joined_by,
                      Touch touch, Join join) {
  Word a_left = 0, b_left = 0, v_left = 0;  // the words to the left
  for (int i = 0; i < words; ++i) {
    const Word a = united_word<side.own>(here.rows, i);
    const Word b = united_word<side.other>(other.rows, i);
    const Word begins = here.starts[i] | other.starts[i];
    Word v = a & b;
    if constexpr (side.diagonal)
      v = (a | a << 1 | a_left >> (kWordBits - 1)) & (b | b << 1 | b_left >> (kWordBits - 1));
    touch(static_cast<std::size_t>(i), v);
    Word places = v & (run_starts(v, v_left) | begins) & ~joined_by(static_cast<std::size_t>(i));
    a_left = a;
    b_left = b;
    v_left = v;
    for (; places != 0; places &= places - 1) {
      const int bit = std::countr_zero(places);
      join(here.run_at(i, bit), other.run_at(i, bit));
    }
  }
}

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
