#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "gpuccl/parts.hpp"

namespace gpuccl {

/// As unite_part(), but the components of the part go to their places among those of the whole: in what
/// `whole` returns for their number, to as many as the part has from its first on. Only high words of their
/// sums stay with the part.
NumberedPart unite_part_into(PartLink& link, const Slab& slab, Extent whole_extent, Connectivity connectivity,
                             Labeled labeled, const std::function<Components&(Label count)>& whole);

}  // namespace gpuccl
