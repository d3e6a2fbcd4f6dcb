#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "measure/group.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/sample_sums.hpp"
#include "measure/value_counts.hpp"

namespace gpuccl::measuring {

/// Adds samples to the sums of components, from the label runs and samples of the same rows: all rows, some
/// rows of an image of one slice, or some slices.
template <class Sums>
class IntensityPass final : public SamplesPass {
 public:
  /// Prepares to add rows [begin, end).
  IntensityPass(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Components& components,
                const IntensityImage& image, ValueCounts* counts, std::int64_t max_bytes,
                std::vector<Sums>& sums)
      : labels_(labels),
        components_(components),
        image_(image),
        counts_(counts),
        most_parts_(static_cast<std::uint64_t>(max_bytes) / kBytesOfPart),
        sums_(sums),
        begin_(begin),
        end_(end) {
    count_parts();
  }

  int most_slices(int z, int next) const override {
    next = std::max(std::min(next, z + image_.slices_at_once(z)), z + 1);
    while (next > z + 1 && parts_in(z, next) > most_parts_) --next;
    return next;
  }

  std::int64_t add(int z, int next, std::int64_t ready) override {
    if (next == z + 1 && parts_in(z, next) > most_parts_ && !Sums::kInAnyOrder)
      throw not_enough_memory("measures of intensity need",
                              static_cast<std::int64_t>(parts_in(z, next) * kBytesOfPart));
    ready_ = ready;
    in_place_ = next == z + 1 && Sums::kInAnyOrder;
    std::vector<Parts> parts(static_cast<std::size_t>(next - z));
    const auto measure = [&](int i) { measure_slice(i, parts[static_cast<std::size_t>(i - z)]); };
    if (next == z + 1) {
      measure(z);  // prepares more rows of the labels
    } else {
      tbb::parallel_for(z, next, measure);
    }
    for (const Parts& of_slice : parts)
      for (const auto& [label, part] : of_slice) sums_[label - 1].add(part);
    return ready_;
  }

  void finish() override {
    if constexpr (!Sums::kInAnyOrder)
      for (Sums& sums : sums_) sums.close();
  }

 private:
  using Sample = typename Sums::Sample;
  using UnitSums = typename Sums::UnitSums;
  /// Sums of components that extend over several slices.
  using Parts = std::unordered_map<Label, UnitSums>;

  static constexpr std::size_t kBytesOfPart = sizeof(UnitSums) + 48;

  /// Counts the parts of each slice.
  void count_parts() {
    std::vector<std::int64_t> more(static_cast<std::size_t>(labels_.extent().depth) + 1);
    for (const Box& box : components_.box) {
      if (box.min[2] == box.max[2]) continue;
      ++more[static_cast<std::size_t>(box.min[2])];
      --more[static_cast<std::size_t>(box.max[2]) + 1];
    }
    std::partial_sum(more.begin(), more.end(), more.begin());
    parts_before_.resize(more.size());
    std::exclusive_scan(more.begin(), more.end(), parts_before_.begin(), std::int64_t{0});
  }
  /// Returns the number of parts in slices [begin, end).
  std::uint64_t parts_in(int begin, int end) const {
    return static_cast<std::uint64_t>(parts_before_[static_cast<std::size_t>(end)] -
                                      parts_before_[static_cast<std::size_t>(begin)]);
  }

  void measure_slice(int z, Parts& parts) {
    const std::int64_t top = static_cast<std::int64_t>(z) * labels_.extent().height;
    LabelRuns runs;
    const auto take = [&](int y, int rows, const Sample* samples) {
      const auto first = static_cast<int>(std::clamp<std::int64_t>(begin_ - top, y, y + rows));
      const auto end = static_cast<int>(std::clamp<std::int64_t>(end_ - top, first, y + rows));
      samples += static_cast<std::ptrdiff_t>(first - y) * labels_.extent().width;
      for (y = first; y < end;) {
        if (top + y >= ready_) ready_ = labels_.prepare(top + y, 1);
        const auto some = static_cast<int>(std::min<std::int64_t>(end - y, ready_ - (top + y)));
        labels_.list_runs(top + y, some, runs, nullptr);
        add_runs(runs, y, z, samples, parts);
        y += some;
        samples += static_cast<std::ptrdiff_t>(some) * labels_.extent().width;
      }
    };
    if constexpr (std::is_same_v<Sample, WholeNumber>)
      image_.read_long(z, take);
    else
      image_.read(z, take);
  }

  void add_runs(const LabelRuns& runs, int y, int z, const Sample* samples, Parts& parts) {
    const bool by_rows = labels_.extent().depth == 1;
    Label last = 0;
    UnitSums* part = nullptr;  // of component `last`, if it is summed per slice
    std::size_t i = 0;
    for (const std::size_t end : runs.ends) {
      for (; i < end; ++i) {
        const LabelRun& run = runs.runs[i];
        if (run.label != last) {
          last = run.label;
          const Box& box = components_.box[last - 1];
          part = in_place_ || box.min[2] == box.max[2] ? nullptr : &parts[last];
        }
        const SampleRun<Sample> of_run{run.begin, y, z, run.end - run.begin, samples + run.begin};
        if (part != nullptr) {
          part->add(of_run);
        } else if constexpr (Sums::kInAnyOrder) {
          sums_[last - 1].add(of_run);
        } else {
          sums_[last - 1].add(of_run, by_rows ? y : z);
        }
        if constexpr (std::is_same_v<Sample, double>)
          if (counts_ != nullptr) counts_->add(last - 1, samples + run.begin, run.end - run.begin);
      }
      ++y;
      samples += labels_.extent().width;
    }
  }

  const LabelRows& labels_;
  const Components& components_;
  const IntensityImage& image_;
  ValueCounts* counts_;
  std::uint64_t most_parts_;  // limit of parts in memory
  std::vector<Sums>& sums_;
  std::vector<std::int64_t> parts_before_;  // prefix sum over slices
  const std::int64_t begin_, end_;
  bool in_place_ = false;   // slices are measured in order, and sums do not depend on the order
  std::int64_t ready_ = 0;  // rows up to this one can be listed
};

}  // namespace gpuccl::measuring
