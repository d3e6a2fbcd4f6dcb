#pragma once

#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Totals of one value.
struct OfValue {
  ValueBits value = 0;
  std::uint64_t components = 0, elements = 0, largest = 0;

  friend bool operator==(const OfValue&, const OfValue&) = default;
};

/// Returns the totals of each value of the components, in ascending order.
std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components);

/// Merges totals, such as those of several parts.
std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all);

}  // namespace gpuccl::io
