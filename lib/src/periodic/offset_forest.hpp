#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "periodic/periods.hpp"

namespace gpuccl {

/// Union-find of components of which each is some periods away from the others of its set. The smallest
/// label is the root, so that sets are numbered as raster order wants.
class OffsetForest {
 public:
  struct Place {
    Label root;
    Periods from_root;
  };

  explicit OffsetForest(std::size_t labels) : parent_(labels + 1), offset_(labels + 1), wraps_(labels + 1) {
    for (std::size_t label = 0; label <= labels; ++label) parent_[label] = static_cast<Label>(label);
  }

  /// Halves the path on its way.
  Place find(Label label) {
    Periods sum{};
    while (parent_[label] != label) {
      const Label parent = parent_[label];
      add(offset_[label], offset_[parent]);
      parent_[label] = parent_[parent];
      add(sum, offset_[label]);
      label = parent_[label];
    }
    return {label, sum};
  }

  /// `b` goes on `periods` from where `a` ends.
  void unite(Label a, Label b, const Periods& periods) {
    auto [root, place_a] = find(a);
    auto [child, place_b] = find(b);
    Periods between = periods;  // from the root of a to the root of b
    for (std::size_t axis = 0; axis < 3; ++axis) between[axis] += place_a[axis] - place_b[axis];
    if (root > child) {
      std::swap(root, child);
      for (std::int32_t& along : between) along = -along;
    }
    if (root != child) {
      parent_[child] = root;
      offset_[child] = between;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      raise(wraps_[root][axis], wraps_[child][axis]);
      if (periods[axis] != 0) raise(wraps_[root][axis], Wrap::across);
      if (root == child && between[axis] != 0) raise(wraps_[root][axis], Wrap::around);
    }
  }

  /// Returns the wraps of a root.
  const std::array<Wrap, 3>& wraps(Label root) const { return wraps_[root]; }

 private:
  static void add(Periods& sum, const Periods& more) {
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += more[axis];
  }
  static void raise(Wrap& wrap, Wrap to) {
    if (wrap < to) wrap = to;
  }

  std::vector<Label> parent_;
  std::vector<Periods> offset_;  // from the parent
  std::vector<std::array<Wrap, 3>> wraps_;
};

}  // namespace gpuccl
