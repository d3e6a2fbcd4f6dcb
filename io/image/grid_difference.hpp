#pragma once

#include <string_view>

#include "gpuccl/types.hpp"
#include "io/image/geometry.hpp"

namespace gpuccl::io {

/// In what elements of two images of this extent first differ: "spacing", "direction" or "origin" (one that
/// is turned has another origin, too); "" where both do not say it, and where they are the same but for a
/// thousandth of an element. An axis of one element has no spacing and no direction.
std::string_view grid_difference(const Geometry& one, const Geometry& other, const Extent& extent);

}  // namespace gpuccl::io
