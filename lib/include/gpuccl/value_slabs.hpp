#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/column.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/slabs.hpp"
#include "gpuccl/value_type.hpp"
#include "gpuccl/values.hpp"

// Multi-label images whose slabs or parts are labeled separately.
namespace gpuccl {

/// Boundary elements of a slab of an image with a delta: its first and last slice (or row), in native
/// byte order. Empty without a delta, because the value of a component is that of all its elements.
struct ValueFaces {
  ValueType type = ValueType::u8;
  double delta = 0;
  std::vector<std::byte> first, last;
};
/// Returns the boundary elements of `image`, which is that slab of the whole.
ValueFaces faces_of(const ValueImage& image, const Slab& slab, Extent whole, Connectivity connectivity);

/// A labeled slab, ready to be joined with others.
struct SlabToJoin {
  Labeled labeled;
  Column<ValueBits> values;  // one per component; empty for a binary image
  ValueFaces faces;
};

/// Labels a multi-label image slab by slab; the result is that of label_values(). `label` reads and
/// labels one slab of whole slices; it is called again when labels are rendered, as in
/// label_by_slabs(). Throws as label_by_slabs().
LabeledValues label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    std::function<SlabToJoin(const Slab& slab)> label,
                                    std::int64_t max_kept = INT64_MAX);

/// As label_values_by_slabs(), with each value as one object, connected or not: the result is that of
/// label_by_value(), and `label` labels one slab so.
LabeledValues label_objects_by_slabs(Extent extent, std::vector<Slab> slabs,
                                     std::function<SlabToJoin(const Slab& slab)> label,
                                     std::int64_t max_kept = INT64_MAX);

}  // namespace gpuccl
