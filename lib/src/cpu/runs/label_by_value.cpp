// Labels each value as one component, connected or not. Each strip numbers its values in order of occurrence
// in a hash table. The tables are merged in the order of strips, so labels are in raster order of the first
// pixel. All further steps (statistics, rendering, measures) are those of connected components.

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "cpu/phase_clock.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/value_labels.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace cpu {
namespace {

/// Numbers values from 0 in order of occurrence: a hash table with linear probing.
class ValueNumbers {
 public:
  Index number_of(ValueBits value) {
    if (2 * values_.size() >= slots_.size()) grow();
    Index& slot = slots_[slot_of(value)];
    if (slot == 0) {
      values_.push_back(value);
      slot = static_cast<Index>(values_.size());
    }
    return slot - 1;
  }
  const std::vector<ValueBits>& values() const { return values_; }

 private:
  static constexpr std::size_t kFirstSlots = 256;

  /// Returns the slot of `value`, or the free slot for it.
  std::size_t slot_of(ValueBits value) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = value * std::uint64_t{0x9e3779b97f4a7c15} >> (64 - std::bit_width(mask));
    while (slots_[slot] != 0 && values_[slots_[slot] - 1] != value) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < values_.size(); ++i) slots_[slot_of(values_[i])] = static_cast<Index>(i + 1);
  }

  std::vector<ValueBits> values_;
  std::vector<Index> slots_;  // number + 1, 0: free; at least half are free
};

/// Numbers the values of a strip's runs. `number_of_run`: receives the number of each run.
ValueNumbers number_values(const ValueImage& image, Strip strip, const std::vector<Index>& runs_before,
                           Label* number_of_run) {
  ValueNumbers numbers;
  ValueBits last = 0;  // no run has this value
  Index number = 0;
  for (std::int64_t row = strip.begin; row < strip.end; ++row) {
    Label* to = number_of_run + runs_before[static_cast<std::size_t>(row)];
    for (const ValueRun& run : image.row(row)) {
      if (run.value != last) number = numbers.number_of(last = run.value);
      *to++ = number;
    }
  }
  return numbers;
}

}  // namespace
}  // namespace cpu

ValueLabeling label_by_value(ValueImage image, int strips_wanted) {
  using namespace cpu;
  if (image.delta() != 0) throw Error(ErrorCode::usage, "objects by value have no delta");
  Labeling result;
  if (image.extent().elements() == 0) {
    result.labels = std::make_unique<LabelImage>(image.extent(), 0);
    return {std::move(result), {}};
  }
  PhaseClock phase(result.phases);
  const std::vector<Strip> strips = cut_into_strips(rows_without_bits(image.extent()), strips_wanted);
  std::vector<Index> runs_before;
  std::unique_ptr<Label[]> label_of_run;
  std::vector<ValueNumbers> numbers(strips.size());
  ValueNumbers all;
  std::vector<Label> labels_before{0};  // per strip; and the number of all labels

  phase("Values", [&] {
    runs_before = count_runs_before(image);
    label_of_run = make_large_for_overwrite<Label>(runs_before.back());
    for_each_strip(strips, [&](std::size_t i) {
      numbers[i] = number_values(image, strips[i], runs_before, label_of_run.get());
    });
  });
  phase("Number", [&] {
    std::vector<std::vector<Label>> label_of_number(strips.size());
    for (std::size_t i = 0; i < strips.size(); ++i) {
      for (const ValueBits value : numbers[i].values())
        label_of_number[i].push_back(all.number_of(value) + 1);
      numbers[i] = {};
      labels_before.push_back(static_cast<Label>(all.values().size()));
    }
    for_each_strip(strips, [&](std::size_t i) {
      Label* const first = label_of_run.get() + runs_before[static_cast<std::size_t>(strips[i].begin)];
      Label* const last = label_of_run.get() + runs_before[static_cast<std::size_t>(strips[i].end)];
      for (Label* run = first; run < last; ++run) *run = label_of_number[i][*run];
    });
  });

  auto labels = std::make_unique<ValueLabels>(std::move(image), std::move(runs_before),
                                              std::move(label_of_run), labels_before.back());
  result.statistics_ms = milliseconds([&] { result.components = measure(*labels, strips, labels_before); });
  result.labels = std::move(labels);
  return {std::move(result), {all.values().begin(), all.values().end()}};
}

}  // namespace gpuccl
