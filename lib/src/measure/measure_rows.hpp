#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"

// Passes over ranges of rows, of which measure() and measure_part() consist.
namespace gpuccl {

/// Measures components with known bounding boxes in rows [begin, end), or whole slices. The result is added
/// to those of other rows. Labels of other components are ignored. In the background, only cavities that
/// begin in these rows are measured.
MeasureTable measure_rows(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                          const Components& components, MeasureRequest request);

namespace measuring {

/// Counts the connected pieces of each of `count` labels, in one pass over the label runs of all rows. Keeps
/// the runs of two rows, or slices of a volume. Throws Error (memory) if they take more than `max_bytes`.
std::vector<std::uint64_t> count_pieces(const LabelRows& labels, std::size_t count, Connectivity connectivity,
                                        std::int64_t max_bytes);

}  // namespace measuring
}  // namespace gpuccl
