// Forward-backward label propagation (FB), 4- and 8-connectivity.
//
//   R. Haralick, "Some Neighborhood Operations", Real-Time Parallel Computing Image Analysis, 1981
//   as described in L. Cabaret, L. Lacassagne, D. Etiemble, "Distanceless Label Propagation: an Efficient
//   Direct Connected Component Labeling Algorithm for GPUs", IPTA, 2017, doi:10.1109/IPTA.2017.8310147,
//   section I.B.2
//
// A forward scan gives each pixel the minimum label of the pixel and its preceding neighbors, which this scan
// has already updated. A backward scan does this with the following neighbors. An iteration is a forward and
// a backward scan; the last iteration changes nothing.

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/propagation.hpp"

namespace gpuccl::cpu {
namespace {

enum class Direction { forward = 1, backward = -1 };

/// Gives a pixel the minimum label of the pixel and its neighbors that were visited before it. Returns true
/// if the label changed.
template <Connectivity connectivity, Direction direction>
bool visit(const Slice& slice, Label* here) {
  constexpr int kSign = static_cast<int>(direction);
  if (*here == 0) return false;
  Label least = *here;
  for_each_preceding<connectivity>(
      [&](int dx, int dy, int) { least = min_positive(least, here[offset(slice, kSign * dx, kSign * dy)]); });
  if (least == *here) return false;
  *here = least;
  return true;
}

template <Connectivity connectivity, Direction direction>
bool scan(const Slice& slice, FramedLabels& labels) {
  bool changed = false;
  for (int row = 0; row < slice.height; ++row) {
    const int y = direction == Direction::forward ? row : slice.height - 1 - row;
    const Index begin = slice.index(0, y), end = slice.index(slice.width, y);
    if constexpr (direction == Direction::forward) {
      for (Index i = begin; i < end; ++i) changed |= visit<connectivity, direction>(slice, &labels[i]);
    } else {
      for (Index i = end; i-- > begin;) changed |= visit<connectivity, direction>(slice, &labels[i]);
    }
  }
  return changed;
}

template <Connectivity connectivity>
class Fb final : public SliceLabeler {
  Label label_slice(const Slice& slice, Label count, PhaseClock& phase) override {
    phase("Init", [&] { unique_labels(slice, labels_); });
    for (bool again = true; again;) {
      again = false;
      phase("Forward", [&] { again |= scan<connectivity, Direction::forward>(slice, labels_); });
      phase("Backward", [&] { again |= scan<connectivity, Direction::backward>(slice, labels_); });
    }
    phase("Renumber", [&] { count = renumber(slice, labels_, count); });
    return count;
  }

  FramedLabels labels_;
};

}  // namespace

std::unique_ptr<Labeler> make_fb(Connectivity connectivity) {
  if (connectivity == Connectivity::c4) return std::make_unique<Fb<Connectivity::c4>>();
  return std::make_unique<Fb<Connectivity::c8>>();
}

}  // namespace gpuccl::cpu
