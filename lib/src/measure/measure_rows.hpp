#pragma once

#include <cstdint>

#include "gpuccl/components.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

/// How many rows before and behind those that are measured are looked at: of an image of one slice, or whole
/// slices of a volume.
struct RowsAround {
  std::int64_t before = 0, behind = 0;
};
RowsAround rows_around(const Extent& extent, Connectivity connectivity);

/// Measures what rows [begin, end), or whole slices, have of components whose boxes are known, to be added to
/// what others have. Labels that none of them has are of other components. There is no background.
Measured measure_rows(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                      const Components& components, MeasureRequest request);

}  // namespace gpuccl
