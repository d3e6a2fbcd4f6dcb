#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "common/labels_in_memory.hpp"
#include "gpuccl/types.hpp"
#include "measure/measure.hpp"

namespace gpuccl::measuring {
namespace {

/// Every run begins a piece of its label, and every union of two runs of a label removes one. Runs of rows
/// that no later row touches are dropped.
class PieceCounter {
 public:
  PieceCounter(const LabelRows& labels, std::size_t count, Connectivity connectivity, std::int64_t max_bytes)
      : labels_(labels),
        is_volume_(is_3d(connectivity)),
        diagonal_(connectivity == Connectivity::c8 || connectivity == Connectivity::c18 ||
                  connectivity == Connectivity::c26),
        corners_(connectivity == Connectivity::c26),
        max_bytes_(max_bytes),
        pieces_(count) {}

  std::vector<std::uint64_t> count() {
    const Extent extent = labels_.extent();
    for_each_row(labels_, 0, extent.rows(), nullptr, [&](std::int64_t row, std::span<const LabelRun> runs) {
      const auto y = static_cast<int>(row % extent.height);
      is_volume_ ? add_row_of_volume(y, runs) : add_row_of_image(y, runs);
      if (!is_volume_ || y + 1 == extent.height) end_layer();
    });
    return std::move(pieces_);
  }

 private:
  using Index = std::size_t;

  /// The runs of a row of an image, or of a slice of a volume. `sets`: the set of each run.
  struct Layer {
    std::vector<LabelRun> runs;
    std::vector<std::size_t> ends;  // per row
    std::vector<Index> sets;

    bool is_empty() const { return ends.empty(); }
    std::size_t begin_of(int y) const { return y == 0 ? 0 : ends[static_cast<std::size_t>(y) - 1]; }
    std::size_t end_of(int y) const { return ends[static_cast<std::size_t>(y)]; }
  };

  void add_row_of_image(int y, std::span<const LabelRun> runs) {
    if (y == 0) before_ = {};
    add_row(runs);
    if (!before_.is_empty()) unite_rows(0, before_, 0, diagonal_ ? 1 : 0);
  }

  void add_row_of_volume(int y, std::span<const LabelRun> runs) {
    add_row(runs);
    if (y > 0) unite_rows(y, now_, y - 1, diagonal_ ? 1 : 0);
    if (before_.is_empty()) return;
    unite_rows(y, before_, y, diagonal_ ? 1 : 0);
    if (!diagonal_) return;
    if (y > 0) unite_rows(y, before_, y - 1, corners_ ? 1 : 0);
    if (y + 1 < static_cast<int>(before_.ends.size())) unite_rows(y, before_, y + 1, corners_ ? 1 : 0);
  }

  void add_row(std::span<const LabelRun> runs) {
    const std::size_t begin = now_.runs.size();
    for (const LabelRun& run : runs) {
      now_.runs.push_back(run);
      now_.sets.push_back(parents_.size());
      parents_.push_back(parents_.size());
      ++pieces_[run.label - std::size_t{1}];
    }
    now_.ends.push_back(now_.runs.size());
    check_memory();
    for (std::size_t i = begin + 1; i < now_.runs.size(); ++i)  // a run may be listed as two
      if (now_.runs[i].begin == now_.runs[i - 1].end) unite_if_equal(i, now_, i - 1);
  }

  /// Merges runs of row y with those of a row of this layer or another one, at a distance of up to `reach`.
  void unite_rows(int y, Layer& other, int other_y, int reach) {
    std::size_t i = now_.begin_of(y), k = other.begin_of(other_y);
    const std::size_t end = now_.end_of(y), other_end = other.end_of(other_y);
    while (i < end && k < other_end) {
      const auto unite_if_near = [&](std::size_t at, std::size_t other_at) {
        if (at == end || other_at == other_end) return;
        const LabelRun &a = now_.runs[at], &b = other.runs[other_at];
        if (a.begin < b.end + reach && b.begin < a.end + reach) unite_if_equal(at, other, other_at);
      };
      unite_if_near(i, k);
      const int ends_at = now_.runs[i].end, other_ends_at = other.runs[k].end;
      if (ends_at == other_ends_at) {  // each may touch the next one of the other
        unite_if_near(i + 1, k);
        unite_if_near(i, k + 1);
      }
      if (ends_at <= other_ends_at) ++i;
      if (ends_at >= other_ends_at) ++k;
    }
  }

  void unite_if_equal(std::size_t i, Layer& other, std::size_t k) {
    const Label label = now_.runs[i].label;
    if (label != other.runs[k].label) return;
    const Index a = find(now_.sets[i]), b = find(other.sets[k]);
    if (a == b) return;
    parents_[std::max(a, b)] = std::min(a, b);
    --pieces_[label - std::size_t{1}];
  }

  Index find(Index set) {
    while (parents_[set] != set) set = parents_[set] = parents_[parents_[set]];
    return set;
  }

  /// Keeps the sets of this layer's runs for the next layer.
  void end_layer() {
    std::vector<Index> number(parents_.size(), parents_.size());
    Index next = 0;
    for (Index& set : now_.sets) {
      Index& of_root = number[find(set)];
      if (of_root == parents_.size()) of_root = next++;
      set = of_root;
    }
    parents_.resize(next);
    std::iota(parents_.begin(), parents_.end(), Index{0});
    std::swap(now_, before_);
    now_.runs.clear();
    now_.ends.clear();
    now_.sets.clear();
  }

  void check_memory() const {
    const std::size_t runs = now_.runs.capacity() + before_.runs.capacity();
    const auto bytes = static_cast<std::int64_t>(runs * (sizeof(LabelRun) + sizeof(Index)) +
                                                 2 * parents_.capacity() * sizeof(Index));
    if (bytes > max_bytes_ && bytes > kInAnyCase) throw not_enough_memory("components need", bytes);
  }

  static constexpr std::int64_t kInAnyCase = std::int64_t{1} << 20;

  const LabelRows& labels_;
  const bool is_volume_, diagonal_, corners_;
  const std::int64_t max_bytes_;
  std::vector<std::uint64_t> pieces_;
  std::vector<Index> parents_;  // of the runs of both layers
  Layer now_, before_;
};

}  // namespace

std::vector<std::uint64_t> count_pieces(const LabelRows& labels, std::size_t count, Connectivity connectivity,
                                        std::int64_t max_bytes) {
  if (count == 0) return {};
  return PieceCounter(labels, count, connectivity, max_bytes).count();
}

}  // namespace gpuccl::measuring
