// Directed Rooted Acyclic Graph (DRAG) over blocks of 2x2 pixels, 8-connectivity.
//
//   F. Bolelli, L. Baraldi, M. Cancilla, C. Grana, "Connected Components Labeling on DRAGs", International
//   Conference on Pattern Recognition, 2018 (the graph)
//   C. Grana, D. Borghesani, R. Cucchiara, "Optimized Block-based Connected Components Labeling with Decision
//   Trees", IEEE Transactions on Image Processing 19(6), 2010 (blocks, and the tree that the graph is of)
//
// All foreground pixels of a block are connected, so a block has one label, which FirstScan writes to its
// first pixel. To find the adjacent blocks of the same component, FirstScan reads pixels in the order of an
// optimal decision tree, in which equal subtrees are shared. lib/papers/trees generates the tree.
// SecondScan writes labels to pixels.

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

/// Moves along a pair of rows. Block X is being labeled; the other blocks have their labels. Pixels that the
/// graph does not read have no function.
///
///     a b | c d | e f        P Q R
///     g h | i j | k l        S X
///     m n | o p
///     q r | s t
class BlockMask {
 public:
  BlockMask(const Slice& slice, int y, Equivalences& table)
      : two_above_(slice.row(y - 2)),
        above_(slice.row(y - 1)),
        row_(slice.row(y)),
        below_(slice.row(y + 1)),
        labels_(slice.labels_of(y)),
        width_(slice.width),
        table_(table) {}

  bool ended() const { return x_ >= width_; }
  void write(Label label) {
    labels_[x_] = label;
    x_ += 2;
  }

  bool b() const { return two_above_[x_ - 1] != 0; }
  bool c() const { return two_above_[x_] != 0; }
  bool d() const { return two_above_[x_ + 1] != 0; }
  bool g() const { return above_[x_ - 2] != 0; }
  bool h() const { return above_[x_ - 1] != 0; }
  bool i() const { return above_[x_] != 0; }
  bool j() const { return above_[x_ + 1] != 0; }
  bool k() const { return above_[x_ + 2] != 0; }
  bool m() const { return row_[x_ - 2] != 0; }
  bool n() const { return row_[x_ - 1] != 0; }
  bool o() const { return row_[x_] != 0; }
  bool p() const { return row_[x_ + 1] != 0; }
  bool r() const { return below_[x_ - 1] != 0; }
  bool s() const { return below_[x_] != 0; }
  bool t() const { return below_[x_ + 1] != 0; }

  Label of_P() const { return labels_[x_ - 2 * width_ - 2]; }
  Label of_Q() const { return labels_[x_ - 2 * width_]; }
  Label of_R() const { return labels_[x_ - 2 * width_ + 2]; }
  Label of_S() const { return labels_[x_ - 2]; }

  Label new_label() const { return table_.new_label(); }
  Label joined(Label one, Label other) const { return table_.joined(one, other); }

 private:
  const Pixel *two_above_, *above_, *row_, *below_;
  Label* labels_;
  std::int64_t x_ = 0, width_;
  Equivalences& table_;
};

void label_row(BlockMask at) {
#include "papers/trees/drag.inc"
}

void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; y += 2) label_row({slice, y, table});
}

}  // namespace

std::unique_ptr<Labeler> make_drag(Connectivity) {
  return std::make_unique<TwoScans<Scan::blocks, first_scan>>();
}

}  // namespace gpuccl::cpu
