#pragma once

#include <cstddef>
#include <span>

#include "common/run_contacts.hpp"
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

/// Calls touch(label, other label) wherever runs of two faces beside each other touch; faces are slices or
/// single rows.
template <class Touch>
void for_each_contact(const LabelRuns& a, const LabelRuns& b, bool of_slices, Connectivity connectivity,
                      Touch touch) {
  const int axes = reach(connectivity);  // one of them leads from a face to the other
  const auto meet = [&](std::size_t of_a, std::size_t of_b, bool diagonal) {
    for_each_contact_of_rows(
        row_of(a, of_a), row_of(b, of_b), diagonal,
        [&](const LabelRun& one, const LabelRun& other) { touch(one.label, other.label); });
  };
  for (std::size_t row = 0; row < b.ends.size(); ++row) {
    meet(row, row, axes > 1);
    if (!of_slices || axes < 2) continue;
    if (row > 0) meet(row - 1, row, axes > 2);
    if (row + 1 < a.ends.size()) meet(row + 1, row, axes > 2);
  }
}

}  // namespace gpuccl
