#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"

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

}  // namespace gpuccl::cpu
