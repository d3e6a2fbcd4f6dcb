#pragma once

#include <bit>
#include <memory>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/words.hpp"
#include "papers/cpu/slices/slice_labeler.hpp"

namespace gpuccl::cpu {

/// The equivalence table of two-scan algorithms: parents of provisional labels 1..count(), roots smallest.
class Equivalences {
 public:
  /// Begins a slice that needs at most `most` labels.
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

  /// Merges two labels. Returns a label that is equivalent to both.
  Label joined(Label one, Label other) {
    if (one == other) return one;
    return UnionFind<ZeroBased, OneThread, Walk::halving>(parents_.get()).unite(one, other);
  }

  /// Assigns to every label the number of its root, counting from `number` + 1 (Flatten in the papers). One
  /// pass suffices, because parents precede their children. Returns the last number.
  Label flatten(Label number) {
    for (Label label = 1; label <= count_; ++label)
      parents_[label] = parents_[label] < label ? parents_[parents_[label]] : (number = next_number(number));
    return number;
  }

  Label count() const { return count_; }
  Label* parents() { return parents_.get(); }

 private:
  std::unique_ptr<Label[]> parents_;
  Index capacity_ = 0;
  Label count_ = 0;
};

/// Location and order of the provisional labels of a first scan.
enum class Scan {
  pixels,     // at each pixel, in raster order, like the components' smallest labels
  row_pairs,  // at each pixel, one pair of rows after another
  blocks,     // at the first pixel of each 2x2 block, one pair of rows after another
};

/// Calls visit(x) for the first pixel of each run of a row.
template <class Visit>
void for_each_run_start(const Slice& slice, int y, Visit visit) {
  const std::uint32_t* const bits = slice.bits + y * slice.bits_pitch;
  Word left = 0;
  for (int x = 0; x < slice.width; x += kWordBits) {
    const Word word = load_word(bits, x / kWordBits);
    for (Word starts = run_starts(word, left); starts != 0; starts &= starts - 1)
      visit(x + std::countr_zero(starts));
    left = word;
  }
}

/// Permutes the numbers first + 1..last, which the table assigns to provisional labels, into raster order of
/// the components' first pixels.
template <Scan scan>
void renumber(const Slice& slice, Equivalences& table, Label first, Label last, std::vector<Label>& numbers) {
  constexpr int kSide = scan == Scan::blocks ? 2 : 1;
  numbers.assign(last - first, 0);
  Label number = first;
  for (int y = 0; y < slice.height && number != last; ++y)
    for_each_run_start(slice, y, [&](int x) {
      const Label label = slice.labels_of(y - y % kSide)[x - x % kSide];
      Label& of_component = numbers[table.parents()[label] - first - 1];
      if (of_component == 0) of_component = ++number;
    });
  for (Label label = 1; label <= table.count(); ++label)
    table.parents()[label] = numbers[table.parents()[label] - first - 1];
}

/// Replaces each pixel's provisional label by its entry in the table.
inline void second_scan(const Slice& slice, const Label* table) {
  for (int y = 0; y < slice.height; ++y) {
    Label* const end = slice.labels_of(y) + slice.width;
    for (Label* label = slice.labels_of(y); label != end; ++label) *label = table[*label];
  }
}

/// Writes to the foreground pixels of each block the table's entry for the block's provisional label.
inline void second_scan_of_blocks(const Slice& slice, const Label* table) {
  const std::int64_t width = slice.width;
  for (int y = 0; y < slice.height; y += 2) {
    const Pixel *const image = slice.row(y), *const image_below = slice.row(y + 1);
    Label* const row = slice.labels_of(y);
    Label* const below = y + 1 < slice.height ? slice.labels_of(y + 1) : nullptr;
    const auto write_column = [&](std::int64_t x, Label label) {
      row[x] = label * image[x];
      if (below != nullptr) below[x] = label * image_below[x];
    };
    std::int64_t x = 0;
    for (; x + 1 < width; x += 2) {
      const Label label = table[row[x]];
      write_column(x, label);
      write_column(x + 1, label);
    }
    if (x < width) write_column(x, table[row[x]]);
  }
}

/// The two-scan algorithms, which differ in the first scan.
template <Scan scan, void (*first_scan)(const Slice& slice, Equivalences& table)>
class TwoScans final : public SliceLabeler {
  Label label_slice(const Slice& slice, Label count, PhaseClock& phase) override {
    table_.begin(slice.size() / 2);  // the pixel to the left of a new label is background
    Label last = count;
    phase("FirstScan", [&] { first_scan(slice, table_); });
    phase("Flatten", [&] { last = table_.flatten(count); });
    if constexpr (scan != Scan::pixels)
      phase("Renumber", [&] { renumber<scan>(slice, table_, count, last, numbers_); });
    phase("SecondScan", [&] {
      if constexpr (scan == Scan::blocks) {
        second_scan_of_blocks(slice, table_.parents());
      } else {
        second_scan(slice, table_.parents());
      }
    });
    return last;
  }

  Equivalences table_;
  std::vector<Label> numbers_;  // in raster order
};

/// Moves along a row. Pixel e is being labeled; the other pixels have their labels:
///
///     a b c
///     d e
class PixelMask {
 public:
  PixelMask(const Slice& slice, int y, Equivalences& table)
      : row_(slice.row(y)),
        above_(slice.row(y - 1)),
        labels_(slice.labels_of(y)),
        width_(slice.width),
        table_(table) {}

  bool ended() const { return x_ == width_; }
  void write(Label label) { labels_[x_++] = label; }

  bool a() const { return above_[x_ - 1] != 0; }
  bool b() const { return above_[x_] != 0; }
  bool c() const { return above_[x_ + 1] != 0; }
  bool d() const { return row_[x_ - 1] != 0; }
  bool e() const { return row_[x_] != 0; }

  Label of_a() const { return labels_[x_ - width_ - 1]; }
  Label of_b() const { return labels_[x_ - width_]; }
  Label of_c() const { return labels_[x_ - width_ + 1]; }
  Label of_d() const { return labels_[x_ - 1]; }

  Label new_label() const { return table_.new_label(); }
  Label joined(Label one, Label other) const { return table_.joined(one, other); }

 private:
  const Pixel *row_, *above_;
  Label* labels_;
  std::int64_t x_ = 0, width_;
  Equivalences& table_;
};

}  // namespace gpuccl::cpu
