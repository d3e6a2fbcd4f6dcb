#pragma once

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// The smaller of two labels that is not background: 0 - 1 is the largest number there is.
GPUCCL_HD constexpr Label min_positive(Label a, Label b) { return a - 1 < b - 1 ? a : b; }

}  // namespace gpuccl
