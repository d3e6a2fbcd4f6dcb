// Two rows at a time (HCS2) with Rem's union with splicing (ARemSP), 8-connectivity.
//
//   L. He, Y. Chao, K. Suzuki, "A New Two-Scan Algorithm for Labeling Connected Components in Binary Images",
//   World Congress on Engineering, 2012 (the scan)
//   S. Gupta, D. Palsetia, M. A. Patwary, A. Agrawal, A. Choudhary, "A New Parallel Algorithm for Two-Pass
//   Connected Component Labeling", IPDPSW, 2014 (the union, and both together as ARemSP)
//
// FirstScan processes two rows at once: pixel e, then pixel g below it.
//
//     a b c
//     d e
//     f g
//
// d has the label of the pixels that it touches (a, b, f), and b that of its neighbors a and c, so e needs
// few unions. g touches e or, if e is background, only d and f, which touch each other.
//
// Labels of the lower row come before labels further right in the upper row. So roots are not in raster
// order, which Renumber corrects.

#include <utility>

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

/// Rem's union with splicing: follows both paths at the same time, the one with the larger parent first, and
/// links each visited node to the smaller parent. Differs from union_find.hpp, because there is no find.
void merge(Label* parents, Label x, Label y) {
  while (parents[x] != parents[y]) {
    if (parents[x] < parents[y]) std::swap(x, y);
    if (parents[x] == x) {
      parents[x] = parents[y];
      return;
    }
    x = std::exchange(parents[x], parents[y]);
  }
}

/// Moves along a pair of rows: label_e(), then label_g(), then next().
class TwoRowMask {
 public:
  TwoRowMask(const Slice& slice, int y, Equivalences& table)
      : above_(slice.row(y - 1)),
        row_(slice.row(y)),
        below_(slice.row(y + 1)),
        labels_(slice.labels_of(y)),
        width_(slice.width),
        table_(table) {}

  void next() { ++x_; }
  void label_e() { labels_[x_] = row_[x_] != 0 ? label_of_e() : 0; }
  void label_g() { labels_[x_ + width_] = below_[x_] == 0 ? 0 : row_[x_] != 0 ? labels_[x_] : label_of_g(); }

 private:
  bool a() const { return above_[x_ - 1] != 0; }
  bool b() const { return above_[x_] != 0; }
  bool c() const { return above_[x_ + 1] != 0; }
  bool d() const { return row_[x_ - 1] != 0; }
  bool f() const { return below_[x_ - 1] != 0; }

  Label of_a() const { return labels_[x_ - width_ - 1]; }
  Label of_b() const { return labels_[x_ - width_]; }
  Label of_c() const { return labels_[x_ - width_ + 1]; }
  Label of_d() const { return labels_[x_ - 1]; }
  Label of_f() const { return labels_[x_ + width_ - 1]; }

  Label merged(Label one, Label other) const {
    merge(table_.parents(), one, other);
    return one;
  }

  /// Returns the label of a foreground pixel.
  Label label_of_e() const {
    if (d()) return !b() && c() ? merged(of_d(), of_c()) : of_d();
    if (b()) return f() ? merged(of_b(), of_f()) : of_b();
    if (f()) {
      if (a()) merged(of_f(), of_a());
      return c() ? merged(of_f(), of_c()) : of_f();
    }
    if (a()) return c() ? merged(of_a(), of_c()) : of_a();
    if (c()) return of_c();
    return table_.new_label();
  }

  /// Returns the label of a foreground pixel below background.
  Label label_of_g() const {
    if (d()) return of_d();
    if (f()) return of_f();
    return table_.new_label();
  }

  const Pixel *above_, *row_, *below_;
  Label* labels_;
  std::int64_t x_ = 0, width_;
  Equivalences& table_;
};

void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; y += 2) {
    const bool is_pair = y + 1 < slice.height;
    TwoRowMask at(slice, y, table);
    for (int x = 0; x < slice.width; ++x, at.next()) {
      at.label_e();
      if (is_pair) at.label_g();
    }
  }
}

}  // namespace

std::unique_ptr<Labeler> make_hcs2_aremsp(Connectivity) {
  return std::make_unique<TwoScans<Scan::row_pairs, first_scan>>();
}

}  // namespace gpuccl::cpu
