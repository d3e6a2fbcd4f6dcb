#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::measuring {

/// Counts the connected pieces of each of `count` labels, in one pass over the label runs of all rows. Holds
/// the runs of two rows, or slices of a volume. Throws Error (memory) if they take more than `max_bytes`.
std::vector<std::uint64_t> count_pieces(const LabelSource& labels, std::size_t count,
                                        Connectivity connectivity, std::int64_t max_bytes);

}  // namespace gpuccl::measuring
