#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/run_contacts.hpp"
#include "common/union_find.hpp"
#include "cpu/phase_clock.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/label_rows.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/row_window.hpp"
#include "cpu/runs/row_writer.hpp"
#include "cpu/runs/value_labels.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

/// Merges the runs of a strip with equal values. `kReach`: max_axes() of the connectivity.
///
/// A row touches up to four rows before it:
///
///     slice before   this slice
///     before_above   above
///     before         the row
///     before_below
///
/// Most contacts are redundant. If corners count, an element above with the same value also touches what an
/// element touches in `before` and `before_above`, and so do the element in `before` and its two neighbors.
/// And if a row has the same runs as the row above or before it, each run is merged with its counterpart. A
/// contact is omitted only because of contacts of earlier rows, or of contacts that are merged here, so no
/// two contacts are omitted because of each other.
///
/// If runs are short, the elements of other rows are compared with those of the row, 64 at a time, and
/// operations on the bits that result leave only contacts that are not redundant.
template <int kReach>
class EqualRowJoiner {
 public:
  EqualRowJoiner(const ValueImage& image, bool in_volume, const std::vector<Index>& runs_before, Label* links,
                 RunBits& bits)
      : image_(image), in_volume_(in_volume), runs_before_(runs_before), links_(links), forest_(links) {
    if (bits.words > 0) window_.emplace(image, rows_in_reach(image, in_volume), bits);
  }

  /// Returns the number of rows from a row to the first one that it can touch.
  static int rows_in_reach(const ValueImage& image, bool in_volume) {
    return in_volume && image.extent().depth > 1 ? image.extent().height + 2 : 2;
  }

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

  /// Whether a row has the same runs as the row above it, and as the row in the previous slice.
  struct Same {
    bool as_above = false, as_before = false;
  };

  /// A row that another one is merged with; none if it is not in the strip.
  struct Row {
    std::span<const ValueRun> runs;
    Index first = 0;
    bool exists = false;
    Same same;
  };

  /// Moves along a row while runs of another row are merged with it.
  template <bool diagonal>
  class Neighbor {
   public:
    explicit Neighbor(const Row& row)
        : at_(row.runs.data()), end_(at_ + row.runs.size()), begin_(at_), first_(row.first) {}

    /// Merges run i with the runs that it touches. Returns true if one of them has exactly its columns.
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
    if (window_) window_->add(row, first);
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
    } else if (window_) {
      std::iota(links_ + first, links_ + first + runs.size(), first);
      join_words(row, above, before_above, before, before_below);
    } else {
      join_run_by_run(runs, first, above, before_above, before, before_below);
    }
  }

  /// Merges the runs of a row with those of other rows, found by comparing elements.
  void join_words(std::int64_t row, const Row& above, const Row& before_above, const Row& before,
                  const Row& before_below) {
    const int height = image_.extent().height;
    const auto in_window = [&](const Row& other, std::int64_t index) {
      return other.exists ? window_->row(index) : window_->zeros();
    };
    const RowWindow::Row here = window_->row(row), zeros = window_->zeros(),
                         ABC = in_window(before_above, row - height - 1),
                         DEF = in_window(before, row - height),
                         GHI = in_window(before_below, row - height + 1), JKL = in_window(above, row - 1);
    // The elements that element N touches:
    //
    //     slice before   this slice
    //     A B C          J K L
    //     D E F          M N
    //     G H I
    const std::byte* others[13];
    const auto bytes = static_cast<std::ptrdiff_t>(window_->bytes_each());
    std::size_t count = 0;
    const auto add = [&](const RowWindow::Row& other, int dx) {
      others[count++] = other.elements + dx * bytes;
    };
    add(zeros, 0);
    add(JKL, -1);
    add(JKL, 0);
    add(JKL, 1);
    if (before.exists || before_above.exists || before_below.exists)
      for (const RowWindow::Row* const other : {&ABC, &DEF, &GHI})
        for (const int dx : {-1, 0, 1}) add(*other, dx);
    for (std::size_t word = 0; word < window_->words(); ++word) {
      Word equal[13] = {};
      window_->find_equal(here, {others, count}, word, equal);
      const auto [zero, J, K, L, A, B, C, D, E, F, G, H, I] = equal;
      const Word N = ~zero, start = here.starts[word], M = N & ~start;
      const auto merge = [&](Word elements, const RowWindow::Row& other, int dx) {
        for (; elements != 0; elements &= elements - 1) {
          const int x = static_cast<int>(word) * kWordBits + std::countr_zero(elements);
          forest_.join(here.run_at(x), other.run_at(x + dx));
        }
      };
      // Elements that touch an excluded one, and equal it, are merged with N here, or M is one of them.
      if constexpr (kReach == 1) {
        merge(N & K & ~(M & J), JKL, 0);
        merge(N & E & ~(M & D) & ~(K & B), DEF, 0);
      } else if constexpr (kReach == 2) {
        merge(start & E, DEF, 0);
        merge(start & K & ~E, JKL, 0);
        merge(N & B & ~(E | K) & ~(M & (A | D | J)), ABC, 0);
        merge(N & H & ~E & ~(M & (D | G)), GHI, 0);
        merge(start & D & ~(B | E | H), DEF, -1);
        merge(start & J & ~(B | D | K), JKL, -1);
        merge(N & F & ~(B | E | H), DEF, 1);
        merge(N & L & ~(B | F | K), JKL, 1);
      } else {
        const Word upper = B | E | K, central = upper | H;
        merge(start & E, DEF, 0);
        merge(start & K & ~E, JKL, 0);
        merge(start & B & ~(E | K), ABC, 0);
        merge(start & H & ~E, GHI, 0);
        merge(start & D & ~central, DEF, -1);
        merge(start & J & ~(upper | D), JKL, -1);
        merge(start & A & ~(upper | D | J), ABC, -1);
        merge(start & G & ~(D | E | H), GHI, -1);
        merge(N & F & ~central, DEF, 1);
        merge(N & L & ~(upper | F), JKL, 1);
        merge(N & C & ~(upper | F | L), ABC, 1);
        merge(N & I & ~(E | F | H), GHI, 1);
      }
    }
  }

  /// In rows with equal runs, a run touches only its counterpart, because adjacent runs of a row differ in
  /// value.
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
  std::vector<Same> same_;           // per row of the strip
  std::optional<RowWindow> window_;  // if elements are compared
};

}  // namespace gpuccl::cpu

// Labeling by equal or nearly equal values. The nodes of the union-find are runs of single rows, as for
// binary images with 4- and 6-connectivity. Only the starts of runs and the conditions for contacts differ.
// Rows cannot be bundled, because touching elements of two rows need not connect.
//
// Without a delta, two touching runs connect if their values are equal, without reading elements. With a
// delta, an element of one must connect to an element of the other.
namespace gpuccl {
namespace cpu {

void ValueLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  const std::int64_t height = extent().height;
  std::visit(
      [&](auto* to) {
        if (bits_.words > 0 && extent().width <= kWidestDrawn && can_draw_label_rows()) {
          BundleLabels labels;
          for (std::int64_t row = first_row; row < first_row + rows; ++row, to += extent().width) {
            const auto bits_of_row = [&](const UninitializedVector<std::uint64_t>& bits) {
              return reinterpret_cast<const std::uint32_t*>(bits.data() +
                                                            static_cast<std::size_t>(row) * bits_.words);
            };
            labels.assign(labels_of_row(row), labels_of_row(row + 1), map);
            draw_label_row(0, {bits_of_row(bits_.starts)}, bits_of_row(bits_.ones), extent().width,
                           labels.data(), to);
          }
          return;
        }
        for (std::int64_t row = first_row; row < first_row + rows; ++row, to += extent().width)
          draw_row(*this, static_cast<int>(row % height), static_cast<int>(row / height), to, map);
      },
      out);
}

void ValueLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                            const Label* map) const {
  list_rows(*this, first_row, rows, out, map);
}

namespace {

/// Condition under which two touching runs connect. The rows are in the order of the arguments.
struct EqualRuns {
  bool operator()(const ValueRun& here, const ValueRun& other) const { return here.value == other.value; }
};

/// Merges the runs of an image.
class StripMerger {
 public:
  StripMerger(const ValueImage& image, Connectivity connectivity, const std::vector<Index>& runs_before,
              Label* links, RunBits& bits)
      : image_(image), connectivity_(connectivity), runs_before_(runs_before), links_(links), bits_(bits) {}

  /// Merges the runs within a strip.
  void join_inside(Strip strip) const {
    if (image_.delta() == 0) {
      switch (max_axes(connectivity_)) {
        case 1:
          return join_equal_rows<1>(strip);
        case 2:
          return join_equal_rows<2>(strip);
        default:
          return join_equal_rows<3>(strip);
      }
    }
    const OwnForest forest(links_);
    for (std::int64_t row = strip.begin; row < strip.end; ++row) {
      for (Index run = first_run(row); run < first_run(row + 1); ++run) forest.make_set(run);
      join_with_rows_before(row, strip, forest);
    }
  }

  /// Merges the runs of a strip with those of earlier strips, while other threads do the same for other
  /// strips.
  void join_with_strips_before(Strip strip) const {
    const SharedForest forest(links_);
    const std::int64_t farthest =
        is_3d(connectivity_) && image_.extent().depth > 1 ? std::int64_t{image_.extent().height} + 1 : 1;
    for (std::int64_t row = strip.begin; row < std::min(strip.end, strip.begin + farthest); ++row)
      join_with_rows_before(row, {0, strip.begin}, forest);
  }

 private:
  template <int kReach>
  void join_equal_rows(Strip strip) const {
    EqualRowJoiner<kReach>(image_, is_3d(connectivity_), runs_before_, links_, bits_).join(strip);
  }

  Index first_run(std::int64_t row) const { return runs_before_[static_cast<std::size_t>(row)]; }

  /// Merges the runs of a row with those of preceding rows within `within` that touch it.
  template <class Forest>
  void join_with_rows_before(std::int64_t row, Strip within, const Forest& forest) const {
    if (image_.row(row).empty()) return;
    const int height = image_.extent().height, y = static_cast<int>(row % height);
    const bool in_volume = is_3d(connectivity_);
    for (int dz = in_volume ? -1 : 0; dz <= 0; ++dz)
      for (int dy = -1; dy <= (dz < 0 ? 1 : -1); ++dy) {
        const int axes = std::abs(dy) + std::abs(dz);
        const std::int64_t other = row + std::int64_t{dz} * height + dy;
        if (axes <= max_axes(connectivity_) && 0 <= y + dy && y + dy < height && within.begin <= other &&
            other < within.end)
          join_rows(row, other, axes < max_axes(connectivity_), forest);
      }
  }

  template <class Forest>
  void join_rows(std::int64_t here, std::int64_t other, bool diagonal, const Forest& forest) const {
    if (image_.delta() == 0) return join_rows(here, other, diagonal, forest, EqualRuns());
    with_type(image_.type(), [&](auto value) {
      join_rows(here, other, diagonal, forest,
                ChainedRuns<decltype(value)>(image_.delta(), image_.elements(here), image_.elements(other),
                                             diagonal));
    });
  }

  template <class Forest, class Connect>
  void join_rows(std::int64_t here, std::int64_t other, bool diagonal, const Forest& forest,
                 const Connect& connect) const {
    const std::span<const ValueRun> a = image_.row(here), b = image_.row(other);
    const Index first_a = first_run(here), first_b = first_run(other);
    for_each_contact_of_rows(a, b, diagonal, [&](const ValueRun& one, const ValueRun& before) {
      const Index i = first_a + static_cast<Index>(&one - a.data());
      const Index k = first_b + static_cast<Index>(&before - b.data());
      if (!forest.same_parent(i, k) && connect(one, before)) forest.unite(i, k);
    });
  }

  const ValueImage& image_;
  Connectivity connectivity_;
  const std::vector<Index>& runs_before_;
  Label* links_;
  RunBits& bits_;
};

/// Returns true if runs are so short that comparing elements is faster than comparing runs, and if the memory
/// for it does not exceed that of a label for each run.
bool are_elements_faster(const ValueImage& image, bool in_volume, Index runs, std::size_t strips) {
  constexpr std::int64_t kLongRun = 16;
  constexpr std::size_t kInAnyCase = std::size_t{1} << 20;
  const std::size_t bytes =
      strips * RowWindow::bytes_for(image, EqualRowJoiner<1>::rows_in_reach(image, in_volume));
  constexpr int kWidest = 1 << 30;  // padding of a row counts in int, too
  return image.delta() == 0 && image.extent().width <= kWidest &&
         image.extent().elements() < runs * kLongRun && bytes <= std::max(kInAnyCase, runs * sizeof(Label));
}

/// Returns the value of each component: that of its first run. Components are numbered in the order of these.
UninitializedVector<ValueBits> values_of(const ValueImage& image, const std::vector<Strip>& strips,
                                         const std::vector<Index>& runs_before, const Numbering& numbering) {
  UninitializedVector<ValueBits> values(numbering.labels_before.back());
  for_each_strip(strips, [&](std::size_t index) {
    std::size_t next = numbering.labels_before[index];
    const std::size_t end = numbering.labels_before[index + 1];
    for (std::int64_t row = strips[index].begin; row < strips[index].end && next < end; ++row) {
      Index i = runs_before[static_cast<std::size_t>(row)];
      for (const ValueRun& run : image.row(row)) {
        if (next == end) break;
        values[next] = run.value;  // overwritten if this is no first run
        next += numbering.label_of_run[i++] == next + 1;
      }
    }
  });
  return values;
}

}  // namespace
}  // namespace cpu

ValueLabeling label_values(ValueImage image, Connectivity connectivity, int strips_wanted, bool only_labels) {
  using namespace cpu;
  Labeling result;
  if (image.extent().elements() == 0) {
    result.labels = std::make_unique<LabelImage>(image.extent(), 0);
    return {std::move(result), {}};
  }
  PhaseClock phase(result.phases);
  const Bundles rows = rows_without_bits(image.extent());
  const std::vector<Strip> strips = cut_into_strips(rows, strips_wanted);
  std::vector<Index> runs_before;
  std::unique_ptr<Label[]> links;
  RunBits bits;
  Numbering numbering;
  UninitializedVector<ValueBits> values;

  phase("Runs", [&] {
    runs_before = count_runs_before(image);
    links = make_large_for_overwrite<Label>(runs_before.back());
    if (are_elements_faster(image, is_3d(connectivity), runs_before.back(), strips.size())) {
      bits.words = RowWindow::words_of(image);
      bits.ones.resize(static_cast<std::size_t>(image.extent().rows()) * bits.words);
      bits.starts.resize(bits.ones.size());
    }
    const StripMerger merger(image, connectivity, runs_before, links.get(), bits);
    for_each_strip(strips, [&](std::size_t i) { merger.join_inside(strips[i]); });
  });
  phase("Merge borders", [&] {
    const StripMerger merger(image, connectivity, runs_before, links.get(), bits);
    for_each_strip(strips, [&](std::size_t i) { merger.join_with_strips_before(strips[i]); });
  });
  phase("Number", [&] {
    numbering = number_components(rows, strips, runs_before, std::move(links));
    if (!only_labels) values = values_of(image, strips, runs_before, numbering);
  });
  auto labels = std::make_unique<ValueLabels>(std::move(image), std::move(runs_before),
                                              std::move(numbering.label_of_run),
                                              numbering.labels_before.back(), std::move(bits));
  if (!only_labels)
    result.statistics_ms =
        milliseconds([&] { result.components = measure(*labels, strips, numbering.labels_before); });
  result.labels = std::move(labels);
  return {std::move(result), std::move(values)};
}

}  // namespace gpuccl
