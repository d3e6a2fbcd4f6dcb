#pragma once

#include <algorithm>
#include <span>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Calls found(label, other label, elements) for every run of `row` and every run of `other` that have
/// neighbors in each other, elements at x with elements at x + shift: so many pairs of them. O(runs).
template <class Found>
void for_each_overlap(std::span<const LabelRun> row, std::span<const LabelRun> other, int shift,
                      Found found) {
  auto first = other.begin();
  for (const LabelRun& run : row) {
    while (first != other.end() && first->end - shift <= run.begin) ++first;
    for (auto at = first; at != other.end() && at->begin - shift < run.end; ++at)
      found(run.label, at->label,
            std::min(run.end, at->end - shift) - std::max(run.begin, at->begin - shift));
  }
}

}  // namespace gpuccl
