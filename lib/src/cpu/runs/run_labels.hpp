#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/run_sums.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// Returns the index, in a bundle, of the run that contains an element. Call it with ascending elements.
template <RowSet set>
class RunCounter {
 public:
  explicit RunCounter(const BundleRows& rows) : rows_(rows) {}

  Index operator()(int word, int bit) {
    while (word_ < word) {
      before_ += static_cast<Index>(std::popcount(starts_));
      const Word united = united_word<set>(rows_, ++word_);
      starts_ = run_starts(united, left_);
      left_ = united;
    }
    return before_ + static_cast<Index>(std::popcount(starts_ & up_to(bit))) - 1;
  }

 private:
  BundleRows rows_;
  int word_ = -1;
  Index before_ = 0;
  Word starts_ = 0, left_ = 0;
};

/// The labels of an image as one label per run of bundles. Runs are found in the bits again.
class RunLabels final : public LabelRows, public SpanSource {
 public:
  RunLabels(Bundles bundles, std::vector<Index> runs_before, std::unique_ptr<Label[]> label_of_run,
            Label count)
      : bundles_(std::move(bundles)),
        runs_before_(std::move(runs_before)),
        label_of_run_(std::move(label_of_run)),
        count_(count) {}

  Extent extent() const override { return bundles_.image().extent; }
  Label count() const override { return count_; }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;
  BitView bits() const override { return bundles_.image(); }
  void list_spans(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const override;

  const Bundles& bundles() const { return bundles_; }
  /// Returns the labels of the runs of a bundle, from left to right.
  const Label* labels_of(const Bundles::BundlePosition& place) const {
    return label_of_run_.get() + runs_before_[static_cast<std::size_t>(place.bundle)];
  }

  /// Returns the labels of `image`, a slice that this image contains from column 0 and row `first_row` on,
  /// with background next to it and below it. Row `first_row` begins a bundle. The labels are those from
  /// `before` + 1 to `before` + `count` of this image.
  RunLabels part(BitView image, std::int64_t first_row, Label before, Label count) const;

  /// Visits the runs of row y of slice z as visit(begin, end, label).
  template <class Visit>
  void for_each_labeled_run(int y, int z, Visit visit) const;

  /// Visits the runs of a bundle of `set` as for_each_run_sums() does.
  template <RowSet set, class Visit>
  void for_each_sums(const Bundles::BundlePosition& place, Visit visit) const {
    for_each_run_sums<set>(bundles_.rows(place), bundles_.words(), visit);
  }

 private:
  template <RowSet set>
  void add_spans(const Bundles::BundlePosition& place, LabelRuns& out) const;
  template <class T>
  void draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const;

  Bundles bundles_;
  std::vector<Index> runs_before_;         // per bundle
  std::unique_ptr<Label[]> label_of_run_;  // by run of bundles
  Label count_;
};

template <class Visit>
void RunLabels::for_each_labeled_run(int y, int z, Visit visit) const {
  const Bundles::BundlePosition place = bundles_.holding(y, z);
  const Label* label = labels_of(place);
  const auto visit_in_bundle = [&]<RowSet set>(std::integral_constant<RowSet, set>) {
    RunCounter<set> run_at(bundles_.rows(place));
    const auto label_at = [&](int word, int bit) { return label[run_at(word, bit)]; };
    for_each_run(bundles_.image().row(y, z), bundles_.words(), label_at, visit);
  };
  switch (bundles_.row_set()) {
    case 0b1111:
      return visit_in_bundle(std::integral_constant<RowSet, 0b1111>{});
    case 0b0011:
      return visit_in_bundle(std::integral_constant<RowSet, 0b0011>{});
    default:
      for_each_run(
          bundles_.image().row(y, z), bundles_.words(), [&](int, int) { return *label++; }, visit);
  }
}

}  // namespace gpuccl::cpu
