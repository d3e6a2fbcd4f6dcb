#pragma once

#include "cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {

/// Goes through a row. Pixel e is labeled, the others and their labels are there before it:
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
