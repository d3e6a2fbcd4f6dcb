#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "gpuccl/parts.hpp"

namespace gpuccl {

/// Unites the parts as unite_part(), but stores the components of the part in the arrays of the
/// whole: at `whole`(number), from the part's first one on. Only high words of their sums stay with
/// the part.
NumberedPart unite_part_into(PartLink& link, const Slab& slab, Extent whole_extent, Connectivity connectivity,
                             Labeled labeled, const std::function<Components&(Label count)>& whole);

}  // namespace gpuccl
