#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// The labels of one layer (a slice, or a single row) at the edge of a slab, as runs.
class SlabBorder {
 public:
  struct Run {
    int begin, end;
    Label label;
  };

  SlabBorder() = default;
  /// Rows [first_row, first_row + rows) of `labels`, `offset` added to each label.
  SlabBorder(const LabelSource& labels, std::int64_t first_row, std::int64_t rows, Label offset);

  std::size_t bytes() const { return runs_.size() * sizeof(Run) + ends_.size() * sizeof(std::size_t); }
  int rows() const { return static_cast<int>(ends_.size()); }
  std::span<const Run> row(int row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[static_cast<std::size_t>(row) - 1];
    return {runs_.data() + begin, runs_.data() + ends_[static_cast<std::size_t>(row)]};
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::size_t> ends_;  // of each row, in runs_
};

/// Calls unite(label, other label) wherever runs of two rows beside each other touch; with `diagonal`, also
/// across a corner.
template <class Unite>
void unite_rows(std::span<const SlabBorder::Run> a, std::span<const SlabBorder::Run> b, bool diagonal,
                Unite unite) {
  const int reach = diagonal ? 1 : 0;
  auto of_a = a.begin();
  auto of_b = b.begin();
  while (of_a != a.end() && of_b != b.end()) {
    if (of_a->begin - reach < of_b->end && of_b->begin - reach < of_a->end) unite(of_a->label, of_b->label);
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

/// The same for two layers beside each other: slices, or rows of one slice.
template <class Unite>
void unite_layers(const SlabBorder& a, const SlabBorder& b, bool slices, Connectivity connectivity,
                  Unite unite) {
  const int axes = reach(connectivity);  // one of them leads from a layer to the other
  for (int row = 0; row < b.rows(); ++row) {
    unite_rows(a.row(row), b.row(row), axes > 1, unite);
    if (!slices || axes < 2) continue;
    if (row > 0) unite_rows(a.row(row - 1), b.row(row), axes > 2, unite);
    if (row + 1 < a.rows()) unite_rows(a.row(row + 1), b.row(row), axes > 2, unite);
  }
}

}  // namespace gpuccl
