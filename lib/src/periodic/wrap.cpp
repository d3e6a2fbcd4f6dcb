#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

// Slices that are kept completely come first, followed by the first and last rows of all slices.
BorderRuns::BorderRuns(const Extent& extent, const PeriodicAxes& periodic)
    : extent_(extent), periodic_(periodic) {
  rows_.resize(static_cast<std::size_t>((periodic[2] ? std::int64_t{2} * extent.height : 0) +
                                        (periodic[1] ? std::int64_t{2} * extent.depth : 0)));
  if (periodic[0]) ends_.resize(static_cast<std::size_t>(extent.rows()));
}

void BorderRuns::keep(std::int64_t number, std::span<const LabelRun> row) {
  if (row.empty()) return;
  const int y = static_cast<int>(number % extent_.height), z = static_cast<int>(number / extent_.height);
  if (is_kept(y, z)) rows_[place(y, z)].assign(row.begin(), row.end());
  if (ends_.empty()) return;
  if (row.front().begin == 0) ends_[index(y, z)].first = row.front().label;
  if (row.back().end == extent_.width) ends_[index(y, z)].last = row.back().label;
}

std::span<const LabelRun> BorderRuns::row(int y, int z) const { return rows_[place(y, z)]; }

bool BorderRuns::is_kept(int y, int z) const {
  return (periodic_[2] && (z == 0 || z == extent_.depth - 1)) ||
         (periodic_[1] && (y == 0 || y == extent_.height - 1));
}

std::size_t BorderRuns::place(int y, int z) const {
  const auto height = static_cast<std::size_t>(extent_.height);
  if (periodic_[2] && z == 0) return static_cast<std::size_t>(y);
  if (periodic_[2] && z == extent_.depth - 1) return height + static_cast<std::size_t>(y);
  return (periodic_[2] ? 2 * height : 0) + 2 * static_cast<std::size_t>(z) + (y == 0 ? 0 : 1);
}

/// Union-find in which each component has an offset in periods from its root. The root is the smallest label,
/// so sets are numbered in raster order.
class OffsetForest {
 public:
  struct BorderOffset {
    Label root;
    Periods from_root;
  };

  explicit OffsetForest(std::size_t labels) : parent_(labels + 1), offset_(labels + 1), wraps_(labels + 1) {
    for (std::size_t label = 0; label <= labels; ++label) parent_[label] = static_cast<Label>(label);
  }

  /// Finds the root with path halving.
  BorderOffset find(Label label) {
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

  /// Merges two sets: `b` continues `a` at an offset of `periods`.
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

  /// Returns along which axes a root wraps.
  const std::array<Wrap, 3>& wraps(Label root) const { return wraps_[root]; }

 private:
  static void add(Periods& sum, const Periods& more) {
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += more[axis];
  }
  static void raise(Wrap& wrap, Wrap to) {
    if (wrap < to) wrap = to;
  }

  std::vector<Label> parent_;
  std::vector<Periods> offset_;  // relative to the parent
  std::vector<std::array<Wrap, 3>> wraps_;
};

namespace {

BorderRuns borders_of(const LabelRows& labels, const PeriodicAxes& periodic) {
  BorderRuns borders(labels.extent(), periodic);
  for_each_row(labels, 0, labels.extent().rows(), nullptr,
               [&](std::int64_t row, std::span<const LabelRun> runs) { borders.keep(row, runs); });
  return borders;
}

/// Adds up the pieces of a component at their unwrapped coordinates, which may be below 0 until all are
/// known.
class Unwrapping {
 public:
  Unwrapping(const Extent& extent, const std::array<Wrap, 3>& wraps)
      : sizes_{extent.width, extent.height, extent.depth}, wraps_(wraps) {}

  void add(const Component& part, const Periods& periods) {
    area_ += part.area;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t shift =
          wraps_[axis] == Wrap::around ? 0 : std::int64_t{periods[axis]} * sizes_[axis];
      min_[axis] = std::min(min_[axis], part.box.min[axis] + shift);
      max_[axis] = std::max(max_[axis], part.box.max[axis] + shift);
      sum_[axis] += static_cast<Signed>(part.sum[axis]) + static_cast<Signed>(part.area) * shift;
    }
  }

  Component whole() const {
    Component whole;
    whole.area = area_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t size = sizes_[axis];
      const std::int64_t shift =
          min_[axis] < 0 ? -((min_[axis] - size + 1) / size) * size : -(min_[axis] / size) * size;
      if (max_[axis] + shift > std::numeric_limits<int>::max())
        throw Error(ErrorCode::data,
                    "a component goes across its periodic borders so often that its box passes 2^31");
      whole.box.min[axis] = static_cast<int>(min_[axis] + shift);
      whole.box.max[axis] = static_cast<int>(max_[axis] + shift);
      whole.sum[axis] = static_cast<CoordinateSum>(sum_[axis] + static_cast<Signed>(area_) * shift);
    }
    return whole;
  }

 private:
  __extension__ typedef __int128 Signed;

  std::array<int, 3> sizes_;
  std::array<Wrap, 3> wraps_;
  std::uint64_t area_ = 0;
  std::array<std::int64_t, 3> min_{INT64_MAX, INT64_MAX, INT64_MAX}, max_{INT64_MIN, INT64_MIN, INT64_MIN};
  std::array<Signed, 3> sum_{};
};

}  // namespace

Wrapped wrap(const LabelRows& labels, const Components& components, Connectivity connectivity,
             const PeriodicAxes& periodic, std::span<const std::uint64_t> values) {
  check_periodic(labels.extent(), connectivity, periodic);
  return wrap_borders(borders_of(labels, periodic), labels.extent(), components, connectivity, periodic,
                      values);
}

Wrapped wrap_borders(const BorderRuns& borders, const Extent& extent, const Components& components,
                     Connectivity connectivity, const PeriodicAxes& periodic,
                     std::span<const std::uint64_t> values) {
  OffsetForest forest(components.size());
  for_each_contact_across(borders, extent, connectivity, periodic,
                          [&](Label a, Label b, int, const std::array<bool, 3>&, const Periods& periods) {
                            if (values.empty() || values[a - 1] == values[b - 1]) forest.unite(a, b, periods);
                          });

  Wrapped wrapped;
  wrapped.map.resize(components.size() + 1);
  std::map<Label, Unwrapping> across;  // components that cross a border, by final label
  for (Label label = 1; label <= components.size(); ++label) {
    const auto [root, periods] = forest.find(label);
    if (root == label) {
      wrapped.components.push_back(components[label - 1]);
      wrapped.wraps.push_back(forest.wraps(root));
      wrapped.map[label] = static_cast<Label>(wrapped.components.size());
    } else {
      wrapped.map[label] = wrapped.map[root];
    }
    if (forest.wraps(root) == std::array<Wrap, 3>{}) continue;
    const Unwrapping none(extent, forest.wraps(root));
    across.try_emplace(wrapped.map[label], none).first->second.add(components[label - 1], periods);
  }
  for (const auto& [label, whole] : across) wrapped.components.set(label - 1, whole.whole());
  return wrapped;
}

}  // namespace gpuccl
