#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/periodic.hpp"

namespace gpuccl {

/// Two components that touch, a < b: the pairs of neighboring elements of which one is of each.
struct Contact {
  Label a = 0, b = 0;
  std::array<std::uint64_t, 3> faces{};  // pairs that share a face, by the axis x, y or z that it is across
  std::uint64_t edges = 0;               // pairs that share an edge and no face: neighbors along two axes
  std::uint64_t corners = 0;             // pairs that share no more than a corner: along three

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// Of which contacts are counted where components are made by some.
inline Connectivity all_neighbors(Connectivity connectivity) {
  return is_3d(connectivity) ? Connectivity::c26 : Connectivity::c8;
}

/// Bytes of the rows that find_contacts() looks at together, and of those that it keeps of periodic borders,
/// none of which has more runs; contacts themselves left out.
std::int64_t bytes_to_find_contacts(const Extent& extent, Connectivity connectivity,
                                    std::int64_t most_runs_in_row, const PeriodicAxes& periodic = {});

/// What touches what in `labels`, sorted by a, then b: O(runs + contacts). Which elements are neighbors is
/// said by the connectivity; one of 2D keeps slices apart. With `map`, as LabelSource::render() takes it,
/// these are contacts of mapped labels, and components that it maps to 0 touch nothing. Rows are asked for
/// in ascending order; the runs of two slices, or of a part of an image, are in memory at a time. Along
/// periodic axes elements of opposite borders are neighbors, too: along one of two elements each has the
/// other on both sides. Error as check_periodic().
std::vector<Contact> find_contacts(const LabelSource& labels, Connectivity connectivity,
                                   const Label* map = nullptr, const PeriodicAxes& periodic = {});

/// The same of what touches in rows [first_row, first_row + rows), and between these and what is before: one
/// row of the same slice, or with a connectivity of 3D a slice, which `labels` must have.
std::vector<Contact> find_contacts_of_rows(const LabelSource& labels, Connectivity connectivity,
                                           std::int64_t first_row, std::int64_t rows);

/// Those of several stretches of rows as one.
std::vector<Contact> add_up_contacts(const std::vector<Contact>& contacts);

}  // namespace gpuccl
