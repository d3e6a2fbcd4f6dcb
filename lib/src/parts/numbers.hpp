#pragma once

#include <cstdint>

#include "gpuccl/parts.hpp"
#include "slabs/joined_labels.hpp"

namespace gpuccl {

/// NumberedPart before its labels are made.
struct PartNumbers {
  JoinedLabels::Part part;
  Components components;
  Label first = 0, count = 0;
  std::uint64_t dropped = 0, largest = 0;
};

/// As number_part().
PartNumbers number_labels(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                          Labeled labeled, const SelectionOptions& selection);

}  // namespace gpuccl
