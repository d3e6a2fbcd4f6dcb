#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"

// Contacts of components.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Two components that touch, a < b, with counts of neighboring element pairs.
struct Contact {
  Label a = 0, b = 0;
  std::array<std::uint64_t, 3> faces{};  // pairs that share a face, by axis x, y, z
  std::uint64_t edges = 0;               // pairs that share only an edge (neighbors along two axes)
  std::uint64_t corners = 0;             // pairs that share only a corner (along three axes)

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// Returns the connectivity that counts all contacts of components: 26 or 8.
inline Connectivity all_neighbors(Connectivity connectivity) {
  return is_3d(connectivity) ? Connectivity::c26 : Connectivity::c8;
}

/// Returns an upper bound of the bytes that find_contacts() needs, without the contacts, if no row has more
/// than `most_runs_in_row` runs.
std::int64_t bytes_to_find_contacts(const Extent& extent, Connectivity connectivity,
                                    std::int64_t most_runs_in_row, const PeriodicAxes& periodic = {});

/// Finds the contacts of `labels`, sorted by a, then b (region adjacency graph). The connectivity defines
/// neighbors; a 2D one keeps slices separate. With `map` (as in LabelRows::render()), contacts are between
/// mapped labels, and 0 has no contacts. Along a periodic axis of two elements, both sides count. Reads rows
/// in ascending order. Time: O(runs + contacts). Throws as check_periodic(), and Error (memory) if the
/// contacts take more than `max_bytes`.
std::vector<Contact> find_contacts(const LabelRows& labels, Connectivity connectivity,
                                   const Label* map = nullptr, const PeriodicAxes& periodic = {},
                                   std::int64_t max_bytes = INT64_MAX);

/// Finds contacts within rows [first_row, first_row + rows), and between these and the previous row (with 3D
/// connectivity the previous slice), which `labels` must contain. `max_bytes`: as in find_contacts().
std::vector<Contact> find_contacts_of_rows(const LabelRows& labels, Connectivity connectivity,
                                           std::int64_t first_row, std::int64_t rows,
                                           std::int64_t max_bytes = INT64_MAX);

/// Adds up the contacts of several ranges of rows.
class ContactSums {
 public:
  explicit ContactSums(std::int64_t max_bytes = INT64_MAX);
  ~ContactSums();
  ContactSums(ContactSums&&) noexcept;
  ContactSums& operator=(ContactSums&&) noexcept;

  /// Throws Error (memory) if all contacts take more than `max_bytes`.
  void add(std::span<const Contact> contacts);
  /// Returns the sums, sorted like find_contacts().
  std::vector<Contact> sorted() const;

 private:
  class Table;
  std::unique_ptr<Table> table_;
};

}  // namespace gpuccl
#pragma GCC visibility pop
