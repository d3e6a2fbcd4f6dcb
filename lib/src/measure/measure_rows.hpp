#pragma once

#include <cstdint>

#include "gpuccl/components.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

/// Measures what rows [begin, end), or whole slices, have of components whose boxes are known, to be added to
/// what others have. Labels that none of them has are of other components. Of the background only cavities
/// that begin in these rows are looked at.
Measured measure_rows(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                      const Components& components, MeasureRequest request);

}  // namespace gpuccl
