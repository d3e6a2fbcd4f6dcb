#pragma once

#include <cstdint>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

/// Measures components with known bounding boxes in rows [begin, end), or whole slices. The result is added
/// to those of other rows. Labels of other components are ignored. In the background, only cavities that
/// begin in these rows are measured.
Measured measure_rows(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                      const Components& components, MeasureRequest request);

}  // namespace gpuccl
