#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/union_find.hpp"
#include "gpuccl/detail/column.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

/// Returns the number of runs before each row, and of all runs at the end.
std::vector<Index> count_runs_before(const ValueImage& image);

/// Bytes [begin, end) of a row of the image, both multiples of a value's size.
void draw_values(const ValueImage& image, std::int64_t row, std::size_t begin, std::size_t end,
                 std::byte* to);

/// The value of each of `count` components, which are numbered in the order of their first runs.
Column<ValueBits> values_of_components(const ValueImage& image, const Label* label_of_run, Label count);

}  // namespace gpuccl::cpu
