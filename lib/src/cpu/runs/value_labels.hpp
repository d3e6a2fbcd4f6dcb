#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/run_sums.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

/// Returns the number of runs before each row, and the total at the end.
std::vector<Index> count_runs_before(const ValueImage& image);

/// Writes bytes [begin, end) of a row of the image. Both must be multiples of the value size.
void draw_values(const ValueImage& image, std::int64_t row, std::size_t begin, std::size_t end,
                 std::byte* to);

/// Returns the value of each of `count` components, which are numbered in the order of their first runs.
UninitializedVector<ValueBits> values_of_components(const ValueImage& image, const Label* label_of_run,
                                                    Label count);

/// Returns bundles of one row each, without bits, for a multi-label image.
inline Bundles rows_without_bits(Extent extent) {
  return {BitView{nullptr, extent, words_per_row(extent.width)}, 0b0001};
}

/// The elements of a multi-label image that are not 0, and those that begin runs, as bits; empty if runs are
/// long.
struct RunBits {
  std::size_t words = 0;  // of 64 bits, per row
  UninitializedVector<std::uint64_t> ones, starts;
};

/// The labels of a multi-label image, as one label per run.
class ValueLabels final : public LabelRows {
 public:
  ValueLabels(ValueImage image, std::vector<Index> runs_before, std::unique_ptr<Label[]> label_of_run,
              Label count, RunBits bits = {})
      : image_(std::move(image)),
        bundles_(rows_without_bits(image_.extent())),
        runs_before_(std::move(runs_before)),
        label_of_run_(std::move(label_of_run)),
        count_(count),
        bits_(std::move(bits)) {}

  Extent extent() const override { return image_.extent(); }
  Label count() const override { return count_; }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

  const ValueImage& image() const { return image_; }
  const Bundles& bundles() const { return bundles_; }
  const Label* labels_of(const Bundles::BundlePosition& place) const { return labels_of_row(place.bundle); }

  template <RowSet, class Visit>
  void for_each_sums(const Bundles::BundlePosition& place, Visit visit) const {
    std::size_t i = 0;
    for (const ValueRun& run : image_.row(place.bundle))
      visit(i++, run.begin, run.end, sums_of_run(run.begin, run.end));
  }

  /// Visits the runs of row y of slice z as visit(begin, end, label).
  template <class Visit>
  void for_each_labeled_run(int y, int z, Visit visit) const {
    const std::int64_t row = std::int64_t{z} * extent().height + y;
    const Label* label = labels_of_row(row);
    for (const ValueRun& run : image_.row(row)) visit(run.begin, run.end, *label++);
  }

 private:
  const Label* labels_of_row(std::int64_t row) const {
    return label_of_run_.get() + runs_before_[static_cast<std::size_t>(row)];
  }

  ValueImage image_;
  Bundles bundles_;
  std::vector<Index> runs_before_;  // per row
  std::unique_ptr<Label[]> label_of_run_;
  Label count_;
  RunBits bits_;
};

}  // namespace gpuccl::cpu
