#include "measure/region_measurer.hpp"

#include <algorithm>

namespace gpuccl::measuring {

void RegionMeasurer::measure(const RowAccess& rows) {
  RowWindow window(rows, region_);
  LabeledRow row;
  while (window.next(row)) {
    segments_.clear();
    for (const LabelRun& span : row.spans_here[2])
      segments_.push_back({span.label, span.begin, span.end, sums_of(span.label)});
    row.segments = segments_;
    if (segments_.empty()) continue;
    for (Group* const group : sums_.by_rows())
      if (!is_isolated_ || !group->looks_around()) group->add(row);
    if (is_isolated_) measure_isolated(row);
  }
  forget_empty_parts();
}

/// Adds each segment, without elements of other labels, to the groups that look around.
void RegionMeasurer::measure_isolated(const LabeledRow& row) {
  window_.begin(row);
  for (const Segment& segment : segments_) {
    const LabeledRow& own = window_.around(segment);
    for (Group* const group : sums_.by_rows())
      if (group->looks_around()) group->add(own);
  }
}

void RegionMeasurer::merge_parts() {
  for (const auto& [label, part] : parts_) sums_.merge(sums_.of(label - 1), part);
}

/// Spans cover the rows of a bundle, so a component may have a part without elements in the next row.
/// Such a part must not be merged: the component may lie in another region, whose thread still adds to it.
void RegionMeasurer::forget_empty_parts() {
  std::erase_if(parts_, [this](const auto& of_label) {
    const std::uint64_t* const part = of_label.second;
    return std::all_of(part, part + sums_.words(), [](std::uint64_t word) { return word == 0; });
  });
}

std::uint64_t* RegionMeasurer::sums_of(Label label) {
  Known& known = known_[label % known_.size()];
  if (known.label == label) return known.sums;
  const bool is_own = is_alone_ || region_.holds(labeling_.components.box[label - 1]);
  known = {label, is_own ? sums_.of(label - 1) : part_of(label)};
  return known.sums;
}

std::uint64_t* RegionMeasurer::part_of(Label label) {
  const auto [part, is_new] = parts_.try_emplace(label);
  if (is_new) part->second = allocate();
  return part->second;
}

std::uint64_t* RegionMeasurer::allocate() {
  constexpr std::size_t kAtOnce = 64;
  if (free_ == 0) {
    blocks_.push_back(std::make_unique<std::uint64_t[]>(kAtOnce * sums_.words()));
    free_ = kAtOnce;
  }
  return blocks_.back().get() + (kAtOnce - free_--) * sums_.words();
}

}  // namespace gpuccl::measuring
