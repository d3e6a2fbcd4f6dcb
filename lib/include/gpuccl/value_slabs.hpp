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

// Images of values of which slabs, or parts, are labeled one by one.
namespace gpuccl {

/// Elements of an image of values with a delta where a slab touches others: of its first and of its last
/// slice, or row, in the byte order of this machine. There are none without a delta: then the value of a
/// component is that of all its elements.
struct ValueFaces {
  ValueType type = ValueType::u8;
  double delta = 0;
  std::vector<std::byte> first, last;
};
/// Those of `image`, which is that slab of a whole.
ValueFaces faces_of(const ValueImage& image, const Slab& slab, Extent whole, Connectivity connectivity);

/// A labeled slab as it is joined with others.
struct SlabToJoin {
  Labeled labeled;
  Column<ValueBits> values;  // of its components; empty of a binary image
  ValueFaces faces;
};

/// The same as label_values() of a whole, of which `label` reads and labels one slab at a time, again when
/// labels are asked for, as label_by_slabs(). The slabs are of whole slices.
LabeledValues label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    std::function<SlabToJoin(const Slab& slab)> label,
                                    std::int64_t max_kept = INT64_MAX);

}  // namespace gpuccl
