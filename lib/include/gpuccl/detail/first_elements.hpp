#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"

// First elements of components in another order than that of rows.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Returns for the labels 0 to `count` the smallest index of their elements, where index (x, y, z) is
/// x * steps[0] + y * steps[1] + z * steps[2]. Uses all threads. `components`: those of the labels, or none.
/// `map`: as in LabelRows::render(). All labels except 0 occur.
std::vector<std::uint64_t> first_elements(const LabelRows& labels, const Components& components, Label count,
                                          const std::array<std::uint64_t, 3>& steps, const Label* map);

}  // namespace gpuccl
#pragma GCC visibility pop
