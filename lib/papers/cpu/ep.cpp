// Embarrassingly Parallel label propagation (EP), 4- and 8-connectivity.
//
//   L. Cabaret, L. Lacassagne, D. Etiemble, "Distanceless Label Propagation: an Efficient Direct Connected
//   Component Labeling Algorithm for GPUs", IPTA, 2017, doi:10.1109/IPTA.2017.8310147, section I.B.1
//
// Each pixel takes the smallest label of its neighborhood, from one label image to another, until nothing
// changes. Rows are independent and distributed over threads. The number of iterations is the length of the
// longest path from a component's first pixel to another of its pixels, plus one that changes nothing. A
// spiral of n x n pixels takes about n * n / 2 iterations, which the other algorithms avoid.

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <utility>

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/propagation.hpp"

namespace gpuccl::cpu {
namespace {

template <Connectivity connectivity>
bool propagate_row(const Slice& slice, int y, const Label* from, Label* to) {
  Label changed = 0;
  const Index begin = slice.index(0, y), end = slice.index(slice.width, y);
  for (Index i = begin; i < end; ++i) {
    const Label* const here = from + i;
    Label least = *here;
    for_each_neighbor<connectivity>(
        [&](int dx, int dy, int) { least = min_positive(least, here[offset(slice, dx, dy)]); });
    if (*here == 0) least = 0;
    changed |= *here ^ least;
    to[i] = least;
  }
  return changed != 0;
}

/// Runs one iteration. Returns true if a label changed.
template <Connectivity connectivity>
bool propagate(const Slice& slice, const Label* from, Label* to) {
  constexpr std::size_t kRows = 16;  // minimum per task
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, slice.height, kRows), false,
      [&](const tbb::blocked_range<int>& rows, bool changed) {
        for (int y = rows.begin(); y < rows.end(); ++y)
          changed |= propagate_row<connectivity>(slice, y, from, to);
        return changed;
      },
      std::logical_or<>());
}

template <Connectivity connectivity>
class Ep final : public SliceLabeler {
  Label label_slice(const Slice& slice, Label count, PhaseClock& phase) override {
    phase("Init", [&] {
      unique_labels(slice, labels_);
      other_.assign(slice.size(), 0);
    });
    Label* from = labels_.data();
    Label* to = other_.data();
    bool again = true;
    while (again) {
      phase("Propagate", [&] { again = propagate<connectivity>(slice, from, to); });
      std::swap(from, to);
    }
    // The last iteration changed nothing, so both images contain the result.
    phase("Renumber", [&] { count = renumber(slice, labels_, count); });
    return count;
  }

  FramedLabels labels_, other_;
};

}  // namespace

std::unique_ptr<Labeler> make_ep(Connectivity connectivity) {
  if (connectivity == Connectivity::c4) return std::make_unique<Ep<Connectivity::c4>>();
  return std::make_unique<Ep<Connectivity::c8>>();
}

}  // namespace gpuccl::cpu
