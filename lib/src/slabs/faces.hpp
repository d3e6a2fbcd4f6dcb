#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/run_contacts.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Returns the slab of an image.
BitView view_of(const Slab& slab, BitView image);

/// Faces of a slab: its first and last slice (or row), if they touch another slab.
struct SlabFaces {
  SlabFaces(const Slab& slab, Extent whole, Connectivity connectivity);

  bool of_slices;     // otherwise of single rows
  bool before, next;  // there is a slab before it; after it
  int width;
  std::int64_t rows;  // of a face
  Connectivity connectivity;

  /// Returns the bytes of the elements of a face.
  std::size_t bytes(ValueType type) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * bytes_of(type);
  }
};

/// The first or the last slice (or row) of a slab: its runs and, for a label map, the values or elements that
/// determine which touching runs connect.
struct Face {
  LabelRuns runs = {};
  std::span<const ValueBits> values = {};  // of labels from `first_label` on; empty for a binary image
  Label first_label = 1;
  std::vector<std::byte> elements = {};  // with a delta

  std::size_t bytes() const {
    return runs.runs.size() * sizeof(LabelRun) + runs.ends.size() * sizeof(std::size_t) + elements.size();
  }
  std::span<const LabelRun> row(std::size_t row) const { return runs.row(row); }
  ValueBits value(const LabelRun& run) const { return values[run.label - first_label]; }
};

/// Calls touch(label, other label) for touching runs of two adjacent faces if they connect. connect(row
/// before, row here, diagonal) returns a predicate on two runs of these rows.
template <class Connect, class Touch>
void for_each_contact_if(const Face& before, const Face& here, const SlabFaces& geometry, Connect connect,
                         Touch touch) {
  const int axes = max_axes(geometry.connectivity);  // one axis leads from face to face
  const auto meet = [&](std::size_t of_before, std::size_t of_here, bool diagonal) {
    const auto connected = connect(of_before, of_here, diagonal);
    for_each_contact_of_rows(before.row(of_before), here.row(of_here), diagonal,
                             [&](const LabelRun& one, const LabelRun& other) {
                               if (connected(one, other)) touch(one.label, other.label);
                             });
  };
  for (std::size_t row = 0; row < here.runs.ends.size(); ++row) {
    meet(row, row, axes > 1);
    if (!geometry.of_slices || axes < 2) continue;
    if (row > 0) meet(row - 1, row, axes > 2);
    if (row + 1 < before.runs.ends.size()) meet(row + 1, row, axes > 2);
  }
}

/// Finds contacts of components that connect by value. `values`: type and delta. In a binary image, all
/// touching components connect.
template <class Touch>
void for_each_contact(const Face& before, const Face& here, const SlabFaces& geometry,
                      const ValueFaces& values, Touch touch) {
  if (values.delta == 0) {
    const auto equal = [&](const LabelRun& one, const LabelRun& other) {
      return here.values.empty() || before.value(one) == here.value(other);
    };
    return for_each_contact_if(
        before, here, geometry, [&](std::size_t, std::size_t, bool) { return equal; }, touch);
  }
  for (const Face* const face : {&before, &here})
    if (face->elements.size() != geometry.bytes(values.type))
      throw Error(ErrorCode::internal, "elements of a face are missing");
  const std::size_t row_bytes = geometry.bytes(values.type) / static_cast<std::size_t>(geometry.rows);
  with_type(values.type, [&](auto value) {
    const auto chained = [&](std::size_t of_before, std::size_t of_here, bool diagonal) {
      return ChainedRuns<decltype(value)>(values.delta, before.elements.data() + of_before * row_bytes,
                                          here.elements.data() + of_here * row_bytes, diagonal);
    };
    for_each_contact_if(before, here, geometry, chained, touch);
  });
}

}  // namespace gpuccl
