#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/strips.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

/// Joins the runs of a strip with each other where values are equal. `kReach`: reach() of the connectivity.
///
/// A row touches up to four rows before it:
///
///     slice before   this slice
///     before_above   above
///     before         the row
///     before_below
///
/// Most of what it touches there is joined already by way of another of them. What an element touches in
/// `before` and `before_above`, an element of the same value above it touches too, if corners count, and
/// and with `before` and the two next to that. And where a row has the same runs as the one above it or
/// the one before it, each run is joined with its like. Such a contact is left out only for contacts of rows
/// that come earlier, or that are joined here, so that none is left out for another that is.
template <int kReach>
class EqualRowJoiner {
 public:
  EqualRowJoiner(const ValueImage& image, bool in_volume, const std::vector<Index>& runs_before, Label* links)
      : image_(image), in_volume_(in_volume), runs_before_(runs_before), links_(links), forest_(links) {}

  void join(Strip strip) {
    strip_ = strip;
    same_.assign(static_cast<std::size_t>(strip.end - strip.begin), {});
    const int height = image_.extent().height;
    int y = static_cast<int>(strip.begin % height);
    for (std::int64_t row = strip.begin; row < strip.end; ++row) {
      join(row, y);
      if (++y == height) y = 0;
    }
  }

 private:
  static constexpr bool kAcrossEdges = kReach >= 2, kAcrossCorners = kReach >= 3;

  /// Whether a row has the same runs as the one above it, and as the one of the slice before.
  struct Same {
    bool as_above = false, as_before = false;
  };

  /// A row that another one is joined with; none if it is not in the strip.
  struct Row {
    std::span<const ValueRun> runs;
    Index first = 0;
    bool exists = false;
    Same same;
  };

  /// Goes along a row as runs of another one are joined with it.
  template <bool diagonal>
  class Neighbor {
   public:
    explicit Neighbor(const Row& row)
        : at_(row.runs.data()), end_(at_ + row.runs.size()), begin_(at_), first_(row.first) {}

    /// Joins run i with those that it touches. Returns whether one of them has all of its columns.
    bool join(const ValueRun& run, Index i, const OwnForest& forest) {
      constexpr int kSide = diagonal ? 1 : 0;
      while (at_ != end_ && at_->end <= run.begin - kSide) ++at_;
      bool covers = false;
      for (const ValueRun* other = at_; other != end_ && other->begin - kSide < run.end; ++other) {
        if (other->value != run.value) continue;
        covers |= other->begin <= run.begin && other->end >= run.end;
        forest.join(i, first_ + static_cast<Index>(other - begin_));
      }
      return covers;
    }

   private:
    const ValueRun *at_, *end_, *begin_;
    Index first_;
  };

  Row row_at(std::int64_t row, bool in_image) const {
    if (!in_image || row < strip_.begin || row >= strip_.end) return {};
    return {image_.row(row), runs_before_[static_cast<std::size_t>(row)], true,
            same_[static_cast<std::size_t>(row - strip_.begin)]};
  }

  static bool are_same(std::span<const ValueRun> a, const Row& b) {
    return b.exists && a.size() == b.runs.size() &&
           (a.empty() || std::memcmp(a.data(), b.runs.data(), a.size_bytes()) == 0);
  }

  void join(std::int64_t row, int y) {
    const int height = image_.extent().height;
    const std::span<const ValueRun> runs = image_.row(row);
    const Index first = runs_before_[static_cast<std::size_t>(row)];
    const Row above = row_at(row - 1, y > 0), before = row_at(row - height, in_volume_);
    const Same same{are_same(runs, above), are_same(runs, before)};
    same_[static_cast<std::size_t>(row - strip_.begin)] = same;
    if (runs.empty()) return;

    const Row before_above = row_at(row - height - 1, in_volume_ && kAcrossEdges && y > 0);
    const Row before_below = row_at(row - height + 1, in_volume_ && kAcrossEdges && y + 1 < height);
    if (same.as_above) {
      link_with_likes(first, above.first, runs.size());
      if (!kAcrossCorners && !before.same.as_above) join_with<kAcrossEdges>(runs, first, before);
      if (!same.as_before && !before_below.same.as_above)
        join_with<kAcrossCorners>(runs, first, before_below);
    } else if (same.as_before) {
      link_with_likes(first, before.first, runs.size());
      if (!above.same.as_before) join_with<kAcrossEdges>(runs, first, above);
    } else {
      join_run_by_run(runs, first, above, before_above, before, before_below);
    }
  }

  /// In rows with equal runs, a run touches only its counterpart: touching runs of a row differ in value.
  void link_with_likes(Index first, Index first_of_likes, std::size_t count) const {
    std::memcpy(links_ + first, links_ + first_of_likes, count * sizeof *links_);
  }

  template <bool diagonal>
  void join_with(std::span<const ValueRun> runs, Index first, const Row& row) const {
    Neighbor<diagonal> neighbor(row);
    for (Index i = first; const ValueRun& run : runs) neighbor.join(run, i++, forest_);
  }

  void join_run_by_run(std::span<const ValueRun> runs, Index first, const Row& above, const Row& before_above,
                       const Row& before, const Row& before_below) const {
    Neighbor<kAcrossEdges> of_above(above), of_before(before);
    Neighbor<kAcrossCorners> of_before_above(before_above), of_before_below(before_below);
    for (Index i = first; const ValueRun& run : runs) {
      forest_.make_set(i);
      const bool by_above = of_above.join(run, i, forest_);
      const bool by_before = !(kAcrossCorners && by_above) && of_before.join(run, i, forest_);
      if (kAcrossEdges && !by_before) {
        of_before_below.join(run, i, forest_);
        if (!by_above) of_before_above.join(run, i, forest_);
      }
      ++i;
    }
  }

  const ValueImage& image_;
  bool in_volume_;
  const std::vector<Index>& runs_before_;
  Label* links_;
  OwnForest forest_;
  Strip strip_{};
  std::vector<Same> same_;  // of each row of the strip
};

}  // namespace gpuccl::cpu
