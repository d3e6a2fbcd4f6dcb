#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Bytes of the runs of a face.
inline std::size_t bytes_of(const LabelRuns& face) {
  return face.runs.size() * sizeof(LabelRun) + face.ends.size() * sizeof(std::size_t);
}

/// Row `row` of a face.
inline std::span<const LabelRun> row_of(const LabelRuns& face, std::size_t row) {
  const std::size_t begin = row == 0 ? 0 : face.ends[row - 1];
  return {face.runs.data() + begin, face.runs.data() + face.ends[row]};
}

/// Calls touch(label, other label) wherever runs of two rows beside each other touch; with `diagonal`, also
/// across a corner.
template <class Touch>
void for_each_contact_of_rows(std::span<const LabelRun> a, std::span<const LabelRun> b, bool diagonal,
                              Touch touch) {
  const int reach = diagonal ? 1 : 0;
  auto of_a = a.begin();
  auto of_b = b.begin();
  while (of_a != a.end() && of_b != b.end()) {
    if (of_a->begin - reach < of_b->end && of_b->begin - reach < of_a->end) touch(of_a->label, of_b->label);
    // The one that ends first touches nothing more.
    const int end = std::min(of_a->end, of_b->end);
    if (of_a->end == end) {
      of_b += of_b->end == end;
      ++of_a;
    } else {
      ++of_b;
    }
  }
}

/// The same for two faces beside each other, slices or single rows.
template <class Touch>
void for_each_contact(const LabelRuns& a, const LabelRuns& b, bool of_slices, Connectivity connectivity,
                      Touch touch) {
  const int axes = reach(connectivity);  // one of them leads from a face to the other
  for (std::size_t row = 0; row < b.ends.size(); ++row) {
    for_each_contact_of_rows(row_of(a, row), row_of(b, row), axes > 1, touch);
    if (!of_slices || axes < 2) continue;
    if (row > 0) for_each_contact_of_rows(row_of(a, row - 1), row_of(b, row), axes > 2, touch);
    if (row + 1 < a.ends.size())
      for_each_contact_of_rows(row_of(a, row + 1), row_of(b, row), axes > 2, touch);
  }
}

}  // namespace gpuccl
