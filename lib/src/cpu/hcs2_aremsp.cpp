// Two rows at a time (HCS2) with Rem's union with splicing (ARemSP), 8-connectivity.
//
//   L. He, Y. Chao, K. Suzuki, "A New Two-Scan Algorithm for Labeling Connected Components in Binary Images",
//   World Congress on Engineering, 2012 (the scan)
//   S. Gupta, D. Palsetia, M. A. Patwary, A. Agrawal, A. Choudhary, "A New Parallel Algorithm for Two-Pass
//   Connected Component Labeling", IPDPSW, 2014 (the union, and both together as ARemSP)
//
// FirstScan takes two rows in one go: pixel e, then g below it.
//
//     a b c        d carries what it touches (a, b, f), b its neighbors a and c, so that e has to join labels
//     in d e          few cases; g touches e, or else only d and f, which touch each other. f g
//
// Labels of the lower row come before labels further right in the upper row, hence roots are numbered in an
// order of their own: the renumbering that all CPU algorithms go through is needed here.

#include <utility>

#include "cpu/algorithms.hpp"
#include "cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

/// Rem's union with splicing: both walks climb together, the larger parent first, and every node that is left
/// is linked to the smaller parent. Not union_find.hpp's: here there is no find at all.
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

/// Label of pixel e at index `at`, which is foreground.
Label label_e(const Slice& slice, Index at, Equivalences& table) {
  const Pixel* const image = slice.image;
  const Label* const labels = slice.labels;
  const Index a = at - slice.pitch() - 1, b = a + 1, c = a + 2, d = at - 1, f = at + slice.pitch() - 1;

  const auto joined = [&](Label label, Index other) {
    if (image[other] != 0) merge(table.parents(), label, labels[other]);
    return label;
  };
  if (image[d] != 0) return image[b] != 0 ? labels[d] : joined(labels[d], c);
  if (image[b] != 0) return joined(labels[b], f);
  if (image[f] != 0) return joined(joined(labels[f], a), c);
  if (image[a] != 0) return joined(labels[a], c);
  if (image[c] != 0) return labels[c];
  return table.new_label();
}

/// Label of pixel g at index `at`, which is foreground; e above it is background.
Label label_g(const Slice& slice, Index at, Equivalences& table) {
  const Index d = at - slice.pitch() - 1, f = at - 1;
  if (slice.image[d] != 0) return slice.labels[d];
  if (slice.image[f] != 0) return slice.labels[f];
  return table.new_label();
}

void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; y += 2)
    for (int x = 0; x < slice.width; ++x) {
      const Index e = slice.index(x, y), g = e + slice.pitch();  // g may lie in the frame: background
      slice.labels[e] = slice.image[e] != 0 ? label_e(slice, e, table) : 0;
      if (slice.image[g] == 0) {
        slice.labels[g] = 0;
      } else {
        slice.labels[g] = slice.image[e] != 0 ? slice.labels[e] : label_g(slice, g, table);
      }
    }
}

}  // namespace

std::unique_ptr<Labeler> make_hcs2_aremsp(Connectivity) { return std::make_unique<TwoScans<first_scan>>(); }

}  // namespace gpuccl::cpu
