#pragma once

#include <memory>

#include "common/union_find.hpp"
#include "cpu/slices/slice_labeler.hpp"

namespace gpuccl::cpu {

/// The equivalence table of two-scan algorithms: parents of provisional labels 1..count(), roots smallest.
class Equivalences {
 public:
  /// Begins a slice in which at most `most` labels are given.
  void begin(Index most) {
    if (most >= capacity_) {
      capacity_ = most + 1;
      parents_ = std::make_unique_for_overwrite<Label[]>(capacity_);
    }
    parents_[0] = 0;  // background
    count_ = 0;
  }

  Label new_label() {
    ++count_;
    return parents_[count_] = count_;
  }

  /// Gives every label the number of its root, which are counted from 1 (Flatten of the papers: parents come
  /// before their children, so one pass will do).
  void flatten() {
    Label roots = 0;
    for (Label label = 1; label <= count_; ++label)
      parents_[label] = parents_[label] < label ? parents_[parents_[label]] : ++roots;
  }

  Label* parents() const { return parents_.get(); }

 private:
  std::unique_ptr<Label[]> parents_;
  Index capacity_ = 0;
  Label count_ = 0;
};

/// Each pixel gets what the table says of its provisional label.
inline void second_scan(const Slice& slice, const Label* table) {
  for (int y = 0; y < slice.height; ++y) {
    Label* const row = slice.labels + slice.index(0, y);
    for (int x = 0; x < slice.width; ++x) row[x] = table[row[x]];
  }
}

/// The two-scan algorithms, which differ in how the first scan finds provisional labels and equivalences.
template <void (*first_scan)(const Slice& slice, Equivalences& table)>
class TwoScans final : public SliceLabeler {
  void label_slice(const Slice& slice, PhaseClock& phase) override {
    table_.begin(slice.size() / 2);  // a new label has background to its left
    phase("FirstScan", [&] { first_scan(slice, table_); });
    phase("Flatten", [&] { table_.flatten(); });
    phase("SecondScan", [&] { second_scan(slice, table_.parents()); });
  }

  Equivalences table_;
};

}  // namespace gpuccl::cpu
