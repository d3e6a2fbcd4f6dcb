#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "common/run_contacts.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Numbers of periods along x, y and z.
using Periods = std::array<std::int32_t, 3>;

/// Runs of a label image at its periodic borders.
class BorderRuns {
 public:
  BorderRuns(const Extent& extent, const PeriodicAxes& periodic);

  /// Adds the runs of a row that are at a border. Thread-safe, in any order of rows.
  void keep(std::int64_t number, std::span<const LabelRun> row);

  /// Returns the runs of row y of slice z, which must be the first or last along a periodic axis.
  std::span<const LabelRun> row(int y, int z) const;
  /// Returns the labels of the first and the last element of a row; 0 if x is not periodic.
  Label first(int y, int z) const { return ends_.empty() ? 0 : ends_[index(y, z)].first; }
  Label last(int y, int z) const { return ends_.empty() ? 0 : ends_[index(y, z)].last; }

 private:
  struct Ends {
    Label first = 0, last = 0;
  };

  std::size_t index(int y, int z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(extent_.height) +
           static_cast<std::size_t>(y);
  }
  bool is_kept(int y, int z) const;
  std::size_t place(int y, int z) const;

  Extent extent_;
  PeriodicAxes periodic_;
  std::vector<Ends> ends_;                   // of every row
  std::vector<std::vector<LabelRun>> rows_;  // by place()
};

/// A neighboring row, and its distance in periods.
struct NextRow {
  int y, z;
  Periods periods;
  bool exists;
};

inline NextRow next_row(const Extent& extent, const PeriodicAxes& periodic, int y, int z) {
  NextRow next{y, z, {}, true};
  const auto fold = [&](int& at, int size, std::size_t axis) {
    if (at >= 0 && at < size) return;
    next.exists &= periodic[axis];
    next.periods[axis] = at < 0 ? -1 : 1;
    at = at < 0 ? size - 1 : 0;
  };
  fold(next.y, extent.height, 1);
  fold(next.z, extent.depth, 2);
  return next;
}

/// Calls found(label, other label, elements, axes, periods) for runs that touch across a border: the number
/// of pairs of neighbors, the axes that they differ along, and the distance of the other run in periods.
/// Visits each pair once, with the first run before the second in the raster order of the repeated image.
template <class Found>
void for_each_contact_across(const BorderRuns& borders, const Extent& extent, Connectivity connectivity,
                             const PeriodicAxes& periodic, Found found) {
  const auto meet_rows = [&](int y, int z, int dy, int dz) {
    const NextRow next = next_row(extent, periodic, y + dy, z + dz);
    if (!next.exists) return;
    const int axes_of_row = std::abs(dy) + std::abs(dz);
    for (int dx = axes_of_row == 0 ? 1 : -1; dx <= 1; ++dx) {
      if (axes_of_row + std::abs(dx) > max_axes(connectivity)) continue;
      const std::array<bool, 3> axes{dx != 0, dy != 0, dz != 0};
      if (next.periods != Periods{})
        for_each_overlap(borders.row(y, z), borders.row(next.y, next.z), dx,
                         [&](Label a, Label b, int elements) { found(a, b, elements, axes, next.periods); });
      if (dx == 0) continue;
      const Label a = dx == 1 ? borders.last(y, z) : borders.first(y, z);
      const Label b = dx == 1 ? borders.first(next.y, next.z) : borders.last(next.y, next.z);
      if (a != 0 && b != 0) found(a, b, 1, axes, Periods{dx, next.periods[1], next.periods[2]});
    }
  };
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      meet_rows(y, z, 0, 0);
      meet_rows(y, z, 1, 0);
      if (!is_3d(connectivity)) continue;
      for (const int dy : {-1, 0, 1}) meet_rows(y, z, dy, 1);
    }
}

/// Merges components across borders, as wrap() does. `components`: at least those whose labels are at the
/// borders.
Wrapped wrap_borders(const BorderRuns& borders, const Extent& extent, const Components& components,
                     Connectivity connectivity, const PeriodicAxes& periodic,
                     std::span<const std::uint64_t> values);

/// Returns the contacts across periodic borders, as find_contacts() does. Defined with it.
std::vector<Contact> contacts_across(const BorderRuns& borders, const Extent& extent,
                                     Connectivity connectivity, const PeriodicAxes& periodic);

}  // namespace gpuccl
